/** An element of an XML document. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
}

/** What the schema of Jenkins (and of Surefire and Ant, as far as they agree) allows in an element, in this order. */
const SCHEMA: Record<string, { required: string[]; optional: string[]; children: string[] }> = {
  testsuites: {
    required: [],
    optional: ['name', 'time', 'tests', 'failures', 'disabled', 'errors'],
    children: ['testsuite'],
  },
  testsuite: {
    required: ['name', 'tests'],
    optional: ['failures', 'errors', 'time', 'disabled', 'skipped', 'timestamp', 'hostname', 'id', 'package'],
    children: ['properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    required: ['name'],
    optional: ['assertions', 'time', 'classname', 'status'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  skipped: { required: [], optional: [], children: [] },
  error: { required: [], optional: ['type', 'message'], children: [] },
  failure: { required: [], optional: ['type', 'message'], children: [] },
}

/** What breaks the schema. */
export function junitMistakes(element: XmlElement): string[] {
  const rules = SCHEMA[element.name]
  if (!rules) return [`<${element.name}> is not known`]
  const { name, attributes, children, text } = element
  const given = Object.keys(attributes)
  const places = children.map((child) => rules.children.indexOf(child.name))
  return [
    ...rules.required.filter((one) => !given.includes(one)).map((one) => `<${name}> lacks ${one}`),
    ...given
      .filter((one) => ![...rules.required, ...rules.optional].includes(one))
      .map((one) => `<${name}> may not have ${one}`),
    ...places.flatMap((place, index) =>
      place < 0 || place < (places[index - 1] ?? 0) ? [`<${children[index]?.name}> in <${name}>`] : [],
    ),
    ...(rules.children.length > 0 && text.trim() !== '' ? [`text in <${name}>`] : []),
    ...['tests', 'failures', 'errors', 'skipped']
      .filter((one) => attributes[one] !== undefined && !/^\d+$/.test(attributes[one]))
      .map((one) => `${one} of <${name}> is no number`),
    ...children.flatMap(junitMistakes),
  ]
}

const CHARACTER = /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u
const TOKEN = /<(\/?)([a-z][\w.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Parses a document without comments, CDATA and DTD. Throws where it is not well-formed. */
export function parseXml(xml: string): XmlElement {
  if (!CHARACTER.test(xml)) throw new Error('there is a character that XML forbids')
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  if (body === xml) throw new Error('there is no declaration')
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  let end = 0
  for (const [token, closing, name = '', attributes = '', empty, text] of body.matchAll(TOKEN)) {
    end += token.length
    const parent = open.at(-1)
    if (!parent) throw new Error('an end too many')
    if (text !== undefined) parent.text += decoded(text)
    else if (closing) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> ends nothing`)
    } else {
      const element = { name, attributes: attributesOf(attributes), children: [], text: '' }
      parent.children.push(element)
      if (!empty) open.push(element)
    }
  }
  if (end !== body.length) throw new Error(`not well-formed: ${body.slice(end, end + 40)}`)
  const [only, ...others] = root.children
  if (!only || others.length > 0 || open.length !== 1) throw new Error('there is not one root')
  return only
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    // A reader takes a line end for a space.
    decoded(value.replace(/[\t\n\r]/g, ' ')),
  ])
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new Error(`twice: ${text}`)
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  return text.replace(/&([^;]*);?/g, (written, name: string) => {
    const value = /^#\d+$/.test(name) ? String.fromCodePoint(Number(name.slice(1))) : ENTITIES[name]
    if (value === undefined || !written.endsWith(';')) throw new Error(`no entity: ${written}`)
    return value
  })
}
