/** A frame of the device, taken apart without regard to its form. */
export interface LooseFrame {
  /** The text of its `mac` field. Undefined if it has none. */
  mac: string | undefined
  /** What is wrong with the place or the form of the field. */
  fault: string | undefined
  /** The bytes that the MAC may cover: first those of 5.2, then those of common mistakes. */
  signed: readonly SignedGuess[]
}

export interface SignedGuess {
  /** Undefined for the bytes that 5.2 names. */
  says: string | undefined
  bytes: Buffer
}

const RULE = 'it covers the bytes before `,"mac":"`, as they are sent (5.2)'
const FORM = 'the last 32 bytes are exactly `,"mac":"<22 characters>"}` (5.1)'
const FIELD = /\s*,?\s*"mac"\s*:\s*"([^"]*)"\s*/
/** The tail of 5.1, but for the number and alphabet of the MAC's characters. */
const TAIL = /,"mac":"[^"]*"\}$/

/** Finds the MAC and the bytes that it may cover. */
export function takeApart(payload: Buffer): LooseFrame {
  // One character for each byte, so that positions in the text are those of the bytes.
  const text = payload.toString('latin1')
  const found = FIELD.exec(text)
  if (!found) return { mac: undefined, fault: `the frame has no \`mac\`: ${FORM}`, signed: [] }
  const before = text.slice(0, found.index)
  const behind = text.slice(found.index + found[0].length)
  const isFirst = before.trim() === '{'
  const rest = isFirst ? `{${behind.replace(/^,\s*/, '')}` : `${before}${behind}`
  return { mac: found[1], fault: formFault(text, behind), signed: guesses(before, rest) }
}

function formFault(text: string, behind: string): string | undefined {
  if (TAIL.test(text)) return undefined
  if (behind.startsWith('}')) {
    const more = behind.slice(1)
    if (more === '') return `the tail has spaces: ${FORM}`
    return `the frame goes on after its last brace (${JSON.stringify(more)}): ${FORM}`
  }
  return `the MAC is not the last field: ${FORM}`
}

/** `before` is the text before the field, `rest` the object without the field. */
function guesses(before: string, rest: string): SignedGuess[] {
  const object = parsed(rest)
  const texts: (readonly [string | undefined, string])[] = [
    [undefined, before],
    ['the MAC covers a closing brace too', `${before}}`],
    ['the MAC covers `,"mac":"` too', `${before},"mac":"`],
    ['the MAC covers an empty `mac` too', `${before},"mac":""}`],
    ['the MAC covers an empty `mac` too', `${before},"mac":""`],
    ['the MAC covers the comma before `"mac"` too', `${before},`],
    ['the MAC covers a NUL at the end', `${before}\0`],
    ['the MAC covers only the prefix', ''],
    ['the MAC covers the frame without its opening brace', before.slice(1)],
    ['the MAC covers the object that goes on behind it', rest],
    ['the MAC covers the object that goes on behind it', rest.slice(0, -1)],
    ...(object ? otherSpellings(object) : []),
  ]
  const seen = new Set<string>()
  return texts.flatMap(([mistake, text]) => {
    if (seen.has(text)) return []
    seen.add(text)
    const says = mistake === undefined ? undefined : `${mistake}: ${RULE}`
    return [{ says, bytes: Buffer.from(text, 'latin1') }]
  })
}

/** The same object, written by another serializer than the one that sends it. */
function otherSpellings(object: Record<string, unknown>): (readonly [string, string])[] {
  const sorted = Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
  const spaced = (one: object) =>
    JSON.stringify(one, null, 1)
      .replace(/\n */g, ' ')
      .replace(/([[{]) | ([\]}])/g, '$1$2')
  const forms: readonly (readonly [string, string])[] = [
    ['written without spaces', JSON.stringify(object)],
    ['written with spaces', spaced(object)],
    ['written with its fields sorted', JSON.stringify(sorted)],
    ['written with its fields sorted, and spaces', spaced(sorted)],
    ['written on several lines', JSON.stringify(object, null, 2)],
    ['written on several lines', JSON.stringify(object, null, 4)],
    ['written on several lines', JSON.stringify(object, null, '\t')],
  ]
  return forms.flatMap(([form, text]) => {
    const latin1 = Buffer.from(text).toString('latin1')
    const mistake = `the MAC covers the object ${form}, which is not what is sent`
    return [[mistake, latin1.slice(0, -1)] as const, [mistake, latin1] as const]
  })
}

function parsed(latin1: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(latin1, 'latin1').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
