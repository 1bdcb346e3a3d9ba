/** A system call of the record. Places count the lines of the record. */
export interface Call {
  name: string
  /** The line at which it began, and the one at which it had returned. */
  from: number
  until: number
  /** The descriptor that it is called with, and the path behind it. */
  fd: number | undefined
  path: string
  /** Its texts and buffers, in order. */
  strings: Buffer[]
  /** Its last number: an offset or a length. */
  last: number
  flags: string
  result: number
}

const BEGUN = ' <unfinished ...>'
const WORD = /^\w+$/
const RETURNED = /\)\s*= (-?\d+)[^"]*$/
const LAST = /, (\d+)$/

/**
 * Reads the lines of `strace -f -y -xx`: a call of one thread may be cut in two by the calls of others. What did not
 * return, because the process was killed, is left out.
 */
export function createCallReader(): (line: string) => Call | undefined {
  const begun = new Map<string, { from: number; text: string }>()
  let place = 0
  return (line) => {
    place += 1
    const space = line.indexOf(' ')
    const thread = line.slice(0, space)
    const text = line.slice(space + 1).trimStart()
    if (text.endsWith(BEGUN)) {
      begun.set(thread, { from: place, text: text.slice(0, -BEGUN.length) })
      return undefined
    }
    if (!text.startsWith('<... ')) return toCall(text, place, place)
    const first = begun.get(thread)
    begun.delete(thread)
    const rest = text.slice(text.indexOf(' resumed>') + ' resumed>'.length)
    return first && toCall(first.text + rest, first.from, place)
  }
}

function toCall(text: string, from: number, until: number): Call | undefined {
  const open = text.indexOf('(')
  const name = text.slice(0, open)
  const returned = RETURNED.exec(text.slice(text.lastIndexOf('"') + 1))
  if (!WORD.test(name) || !returned) return undefined
  const parts = text.slice(open + 1).split('"')
  const first = /^(\d+)<([^>]*)>/.exec(parts[0] ?? '')
  const strings: Buffer[] = []
  for (let index = 1; index < parts.length; index += 2) {
    if (parts[index + 1]?.startsWith('...')) throw new Error(`the record has only a part of a ${name}`)
    strings.push(bytesOf(parts[index] ?? ''))
  }
  const rest = parts.at(-1) ?? ''
  const before = rest.slice(0, rest.lastIndexOf(')'))
  return {
    ...{ name, from, until, strings },
    fd: first ? Number(first[1]) : undefined,
    path: bytesOf(first?.[2] ?? '').toString(),
    last: Number(LAST.exec(before)?.[1] ?? Number.NaN),
    flags: rest,
    result: Number(returned[1]),
  }
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex')
}
