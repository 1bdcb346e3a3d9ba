import { parseJson } from '../shared/json.ts'

/** A body that the hub may have signed in place of the one that a reader has. */
interface OtherBody {
  body: string | Uint8Array
  /** How the reader's body differs, as a sentence. */
  says: string
  instead: string
}

type Candidate = readonly [body: OtherBody['body'], says: string, instead?: string]

const BOM = '\uFEFF'
const RAW = 'Verify the bytes as they arrive, before anything parses them.'
const AS_THEY_ARE = 'Verify the bytes as they arrive, and not a text that was copied or stored.'

const EVENT_KEYS = 'id seq type timestamp data'
/** The keys of the data of the hub's events in their order, by the beginning of the type. */
const DATA_KEYS: readonly [type: string, keys: string][] = [
  [
    'payment.',
    'id ftCode traceTransfer terminalID storeId bankCode billNumber transactionAmount payDate receivedAt outcome',
  ],
  ['bill.', 'storeId billNumber transactionAmount paymentId'],
  [
    'announcement.',
    'paymentId ftCode traceTransfer storeId terminalID transactionAmount deviceSerial n reason times queued sent received played failed expired suppressed',
  ],
  ['', 'deviceSerial storeId lastSeenAt battery ver volume lang webhookId'],
]

/** The bodies from which a reader's may come, the likeliest first. None of them is the reader's. */
export function otherBodies(body: string): OtherBody[] {
  const candidates = [...whiteSpace(body), ...writtenAnew(body), ...encodings(body)]
  return candidates
    .map(([body, says, instead = AS_THEY_ARE]) => ({ body, says, instead }))
    .filter((other) => other.body !== body)
}

function* whiteSpace(body: string): Generator<Candidate> {
  if (body.startsWith(BOM))
    yield [body.slice(1), 'Your body begins with a byte order mark (BOM) that was not sent.']
  yield [withoutBreaks(body), 'Your body has a line break at its end that was not sent.']
  yield [`${body}\n`, 'Your body lacks the line break at its end.']
  yield [`${body}\r\n`, 'Your body lacks the line break (CRLF) at its end.']
  yield [body.trim(), 'Your body has white space around it that was not sent.']
  yield [BOM + body, 'Your body lacks the byte order mark (BOM) at its start.']
  const lines = body.replaceAll('\r\n', '\n')
  const says = 'Its line breaks were changed: '
  yield [lines, `${says}LF was sent, and yours are CRLF.`]
  yield [lines.replaceAll('\n', '\r\n'), `${says}CRLF was sent, and yours are LF.`]
  yield [lines.trimEnd(), `${says}LF was sent, and nothing behind the last brace.`]
}

/** Without line breaks at its end. A regular expression would take seconds for a long run of them elsewhere. */
function withoutBreaks(body: string): string {
  let end = body.length
  while (body[end - 1] === '\n' || body[end - 1] === '\r') end -= 1
  return body.slice(0, end)
}

/** JSON that was parsed and written anew, once as a string or with its keys in another order. */
function* writtenAnew(body: string): Generator<Candidate> {
  const parsed = parseJson(body.startsWith(BOM) ? body.slice(1) : body)
  if (parsed === undefined) return
  if (typeof parsed === 'string')
    yield [
      parsed,
      'Your body is a JSON string that has the body inside it.',
      'Verify the text inside, as it arrived.',
    ]
  const value = typeof parsed === 'string' ? parseJson(parsed) : parsed
  if (value === undefined) return
  const says = 'Your body was parsed and written anew'
  yield [JSON.stringify(value), `${says}: ${spellingOf(body)}.`, RAW]
  yield [inOrder(value), `${says}, with its keys in another order.`, RAW]
}

/** The same text in other bytes. */
function* encodings(body: string): Generator<Candidate> {
  for (const form of ['NFC', 'NFD'] as const)
    yield [body.normalize(form), `Your body has its accents in another Unicode form; it was sent in ${form}.`]
  const codes = Array.from(body, (char) => char.charCodeAt(0))
  if (codes.some((code) => code > 0x7f) && codes.every((code) => code <= 0xff))
    yield [
      Uint8Array.from(codes),
      'Your body is UTF-8 that was read as Latin-1.',
      'Read it as UTF-8, or verify the bytes.',
    ]
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

/** Writes an event with its keys in the hub's order, and without keys that the hub never writes. */
function inOrder(value: unknown): string {
  const type = String(Object(value).type)
  const [, keys = ''] = DATA_KEYS.find(([start]) => type.startsWith(start)) ?? []
  return JSON.stringify(value, `${EVENT_KEYS} ${keys}`.split(' '))
}
