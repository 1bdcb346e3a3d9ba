/** A body that the hub may have signed in place of the one that a reader has, and what has happened between the two. */
export interface OtherBody {
  body: string | Uint8Array
  /** What the reader has, as a sentence. */
  says: string
  instead: string
}

const BOM = '\uFEFF'
const RAW = 'Verify the bytes as they arrive, before anything parses them.'
const AS_THEY_ARE = 'Verify the bytes as they arrive, and not a text that was copied or stored.'

/** The keys of the hub's events in their order, by the beginning of the type. */
const DATA_KEYS: readonly [type: string, keys: string][] = [
  [
    'payment.',
    'id ftCode traceTransfer terminalID storeId bankCode billNumber transactionAmount payDate receivedAt outcome',
  ],
  ['bill.', 'storeId billNumber transactionAmount paymentId'],
  [
    'announcement.',
    'paymentId ftCode traceTransfer storeId terminalID transactionAmount deviceSerial n reason times',
  ],
  ['', 'deviceSerial storeId lastSeenAt battery ver volume lang webhookId'],
]
const EVENT_KEYS = 'id seq type timestamp data'.split(' ')
const TIME_KEYS = 'queued sent received played failed expired suppressed'.split(' ')

/** The bodies from which a reader's may come, the likeliest first. None of them is the reader's. */
export function otherBodies(body: string): OtherBody[] {
  const others = [...whiteSpace(body), ...writtenAnew(body), ...encodings(body)]
  return others.filter((other) => other.body !== body)
}

function* whiteSpace(body: string): Generator<OtherBody> {
  const instead = AS_THEY_ARE
  if (body.startsWith(BOM))
    yield {
      body: body.slice(1),
      says: 'Your body begins with a byte order mark (BOM) that was not sent.',
      instead,
    }
  yield {
    body: withoutBreaks(body),
    says: 'Your body has a line break at its end that was not sent.',
    instead,
  }
  yield { body: `${body}\n`, says: 'Your body lacks the line break at its end.', instead }
  yield { body: `${body}\r\n`, says: 'Your body lacks the line break (CRLF) at its end.', instead }
  yield { body: body.trim(), says: 'Your body has white space around it that was not sent.', instead }
  yield { body: BOM + body, says: 'Your body lacks the byte order mark (BOM) at its start.', instead }
  const lines = body.replaceAll('\r\n', '\n')
  const says = 'Its line breaks were changed: '
  yield { body: lines, says: `${says}LF was sent, and yours are CRLF.`, instead }
  yield { body: lines.replaceAll('\n', '\r\n'), says: `${says}CRLF was sent, and yours are LF.`, instead }
  yield { body: lines.trimEnd(), says: `${says}LF was sent, and nothing behind the last brace.`, instead }
}

/** Without line breaks at its end. A regular expression would take seconds for a long run of them elsewhere. */
function withoutBreaks(body: string): string {
  let end = body.length
  while (body[end - 1] === '\n' || body[end - 1] === '\r') end -= 1
  return body.slice(0, end)
}

/** JSON that was parsed and written anew, once as a string or with its keys in another order. */
function* writtenAnew(body: string): Generator<OtherBody> {
  const parsed = parse(body.startsWith(BOM) ? body.slice(1) : body)
  if (parsed === undefined) return
  if (typeof parsed === 'string')
    yield {
      body: parsed,
      says: 'Your body is a JSON string that has the body inside it.',
      instead: 'Verify the text inside, as it arrived.',
    }
  const value = typeof parsed === 'string' ? parse(parsed) : parsed
  if (value === undefined) return
  const says = `Your body was parsed and written anew: ${spellingOf(body)}.`
  yield { body: JSON.stringify(value), says, instead: RAW }
  yield {
    body: JSON.stringify(inOrder(value)),
    says: 'Your body was parsed and written anew, with its keys in another order.',
    instead: RAW,
  }
}

/** The same text in other bytes. */
function* encodings(body: string): Generator<OtherBody> {
  for (const form of ['NFC', 'NFD'] as const)
    yield {
      body: body.normalize(form),
      says: `Your body has its accents in another Unicode form; it was sent in ${form}.`,
      instead: AS_THEY_ARE,
    }
  const codes = Array.from(body, (char) => char.charCodeAt(0))
  if (codes.some((code) => code > 0x7f) && codes.every((code) => code <= 0xff))
    yield {
      body: Uint8Array.from(codes),
      says: 'Your body is UTF-8 that was read as Latin-1.',
      instead: 'Read it as UTF-8, or verify the bytes.',
    }
}

/** How another program has written JSON; it says which, where that is known. */
function spellingOf(body: string): string {
  if (/\n[ \t]*"/.test(body)) return 'it is pretty-printed'
  if (/^\s*\{\s*"[^"]*":\s/.test(body))
    return 'it has spaces behind colons and commas, as json.dumps of Python writes it'
  if (body.includes('\\/')) return 'it has \\/ for /, as json_encode of PHP writes it'
  if (/\\u00(?:3c|3e|26)/i.test(body))
    return 'it has \\u003c, \\u003e or \\u0026, as json.Marshal of Go writes them'
  if (/\\u[0-9a-f]{4}/i.test(body))
    return 'it has letters as \\u and four digits, as encoders of Python and PHP write them'
  return 'white space, escapes or numbers differ'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An event with its keys in the hub's order. */
function inOrder(value: unknown): unknown {
  const event = ordered(value, EVENT_KEYS)
  if (typeof event !== 'object' || event === null) return value
  const { type, data } = event as Record<string, unknown>
  const [, keys = ''] = DATA_KEYS.find(([start]) => String(type).startsWith(start)) ?? []
  const facts = ordered(data, keys.split(' '))
  if (typeof facts !== 'object' || facts === null) return event
  const { times } = facts as Record<string, unknown>
  return { ...event, data: times === undefined ? facts : { ...facts, times: ordered(times, TIME_KEYS) } }
}

/** An object with these keys first; anything else as it is. */
function ordered(value: unknown, keys: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const rank = (key: string) => (keys.includes(key) ? keys.indexOf(key) : keys.length)
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => rank(a) - rank(b)))
}
