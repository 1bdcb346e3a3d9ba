import { parseJson } from '../shared/json.ts'

/** The headers of a delivery, by the last part of their names. */
export const PARTS = ['id', 'timestamp', 'signature'] as const
export type Part = (typeof PARTS)[number]

/** A delivery as a reader has it. What was not found is undefined; a header may be empty. */
export interface PastedDelivery extends Partial<Record<Part, string>> {
  body?: string
}

/** Names as HTTP, CGI, PHP and logs write them; then what stands between name and value. */
const HEADER =
  /(?:http[-_])?webhook[-_](id|timestamp|signature)["'`\]]*[ \t]*(?:=>|[:=])[ \t]*(?:\n\s*(?=string\())?/gi
/** The whole key of a map. */
const KEY = /^(?:http[-_])?webhook[-_](id|timestamp|signature)$/i
const BODY_KEY = /^(?:raw_?)?(?:body|payload)$/i
const BODY = /(?:^|[\s,{[(;"'])(?:raw_?)?(?:body|payload)["'\])]*[ \t]*(?:=>|[:=])[ \t]*/i
const CURL_DATA = /\s(?:--data(?:-raw|-binary|-ascii)?|--json|-d)[ =]+(?=\$?['"])/
const BLANK_LINE = /\r?\n[ \t]*\r?\n/
/** Objects that contain each other to this depth are looked through. */
const DEEPEST = 8

/**
 * Finds the headers and the body in what a reader has pasted: raw HTTP, the output of `curl -v`, a curl command, JSON, or a
 * line of a log. Headers may come in any order and spelling.
 */
export function readDelivery(text: string): PastedDelivery {
  return readJson(text) ?? readText(withoutCurlMarks(text))
}

/** A delivery that is one JSON value, as request inspectors, cloud functions and loggers write it. */
function readJson(text: string): PastedDelivery | undefined {
  const found: PastedDelivery = {}
  collect(parseJson(text), found, 0)
  return PARTS.some((part) => found[part] !== undefined) ? found : undefined
}

function collect(value: unknown, found: PastedDelivery, depth: number) {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return
  const { name, value: named } = value as Record<string, unknown>
  // HAR and some inspectors list headers as pairs.
  const entries = typeof name === 'string' ? [[name, named] as const] : Object.entries(value)
  for (const [key, inner] of entries) {
    const part = KEY.exec(key)?.[1]?.toLowerCase() as Part | undefined
    if (part !== undefined) found[part] ??= String(Array.isArray(inner) ? inner.join(' ') : (inner ?? ''))
    else if (BODY_KEY.test(key)) found.body ??= typeof inner === 'string' ? inner : JSON.stringify(inner)
    else collect(inner, found, depth + 1)
  }
}

/** `curl -v` marks what it sends with >, what it gets with <, and its remarks with *. */
function withoutCurlMarks(text: string): string {
  if (!/^> ?\S*webhook/im.test(text)) return text
  const lines = text.split('\n').filter((line) => !/^(?:[<*]|[{}] \[)/.test(line) || line.startsWith('{"'))
  return lines.map((line) => line.replace(/^>[ ]?/, '')).join('\n')
}

function readText(text: string): PastedDelivery {
  const found: PastedDelivery = {}
  let [start, end] = [text.length, 0]
  for (const match of text.matchAll(HEADER)) {
    const part = match[1]?.toLowerCase() as Part
    const from = match.index + match[0].length
    found[part] ??= valueAt(text, from, part)
    start = Math.min(start, match.index)
    end = Math.max(end, from + (found[part] ?? '').length)
  }
  const body = bodyOf(text, start, end)
  return body === undefined ? found : { ...found, body }
}

/** A header's value: quoted, in brackets, or up to where it can't go on. */
function valueAt(text: string, from: number, part: Part): string {
  const rest = text.slice(from)
  const enclosed =
    /^\[?[ \t]*(?:string\(\d+\)[ \t]*)?(?:"([^"\n]*)"|'([^'\n]*)')/.exec(rest) ?? /^\[([^\]\n]*)\]/.exec(rest)
  if (enclosed) return (enclosed[1] ?? enclosed[2] ?? '').trim()
  const [line = ''] = /^[^\r\n"'`\])}]*/.exec(rest) ?? []
  // Signatures have spaces between them; in a log the next name follows.
  const [value = ''] =
    part === 'signature' ? line.split(/\s+(?=[A-Za-z_][\w-]*[ \t]*[:=][ \t]*[^=\s])/) : line.split(/[\s,;]/)
  return value.trim().replace(/[,;]+$/, '')
}

/** `start` and `end`: where the headers are. */
function bodyOf(text: string, start: number, end: number): string | undefined {
  if (end === 0) return /^\s*["{[]/.test(text) ? text : undefined
  const data = CURL_DATA.exec(text)
  if (data) return shellWordAt(text, data.index + data[0].length)
  const behind = text.slice(end)
  const blank = BLANK_LINE.exec(behind)
  if (blank && behind.slice(blank.index).trim() !== '')
    return cutByLength(text, behind.slice(blank.index + blank[0].length))
  const before = text.slice(0, start).trim()
  if (before.startsWith('{"') && objectAt(before, 0).endsWith('}')) return objectAt(before, 0)
  const object = text.indexOf('{"', end)
  const marked = BODY.exec(text)
  // A body may contain such a key.
  if (marked && (object < 0 || marked.index < object)) return literalAt(text, marked.index + marked[0].length)
  return object < 0 ? undefined : objectAt(text, object)
}

/** Drops white space behind the body that is beyond `content-length`. */
function cutByLength(text: string, body: string): string {
  const length = Number(/^content-length:[ \t]*(\d+)/im.exec(text)?.[1] ?? Number.NaN)
  const bytes = new TextEncoder().encode(body)
  const isLonger = bytes.length > length && new TextDecoder().decode(bytes.subarray(length)).trim() === ''
  return isLonger ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length)) : body
}

/** The first word of a shell's command line, which begins with a quote or with $'. */
function shellWordAt(text: string, from: number): string {
  const rest = text.slice(from)
  const single = /^'((?:[^']|'\\'')*)'/.exec(rest)?.[1]
  if (single !== undefined) return single.replaceAll("'\\''", "'")
  const escaped = /^\$?(["'])((?:[^\\]|\\[\s\S])*?)\1/.exec(rest)?.[2] ?? ''
  return escaped.replace(/\\(u[0-9a-fA-F]{4}|[\s\S])/g, (_, it: string) =>
    it.length > 1 ? String.fromCharCode(Number.parseInt(it.slice(1), 16)) : it === 'n' ? '\n' : it,
  )
}

/** A text in quotes, an object, or the rest of the line. */
function literalAt(text: string, from: number): string {
  const rest = text.slice(from)
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0]
  if (quoted !== undefined) return String(parseJson(quoted) ?? quoted.slice(1, -1))
  const single = /^b?'((?:[^'\\]|\\.)*)'/.exec(rest)?.[1]
  if (single !== undefined) return single.replace(/\\(['\\])/g, '$1')
  return rest.startsWith('{') ? objectAt(text, from) : (rest.split('\n')[0] ?? '')
}

/** The JSON object that begins here, up to its closing brace or to the end of the text. */
function objectAt(text: string, from: number): string {
  let depth = 0
  for (const { 0: token, index } of text.slice(from).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') depth += 1
    if (token === '}') depth -= 1
    if (depth === 0) return text.slice(from, from + index + token.length)
  }
  return text.slice(from)
}
