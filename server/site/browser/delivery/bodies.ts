import type { Words } from '../../../platform/language/words.ts'
import { parseJson } from '../shared/json.ts'
import { say } from '../shared/say.ts'

/** A body that the hub may have signed in place of the one that a reader has. */
interface OtherBody {
  body: string | Uint8Array
  /** How the reader's body differs, as a sentence. */
  says: string
  instead: string
}

type Candidate = readonly [body: OtherBody['body'], says: Words, instead?: Words]

const BOM = '\uFEFF'
const RAW = {
  en: 'Verify the bytes as they arrive, before anything parses them.',
  vi: 'Hãy xác thực đúng các byte nhận được, trước khi có gì phân tích chúng.',
}
const AS_THEY_ARE = {
  en: 'Verify the bytes as they arrive, and not a text that was copied or stored.',
  vi: 'Hãy xác thực đúng các byte nhận được, chứ không phải văn bản đã chép hoặc đã lưu.',
}

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
    'paymentId ftCode traceTransfer storeId terminalID transactionAmount deviceSerial n reason times queued sent received played delivered failed expired suppressed',
  ],
  ['amount.', 'deviceSerial storeIds transactionAmount keyedId expiresAt'],
  ['', 'deviceSerial storeId lastSeenAt battery ver volume lang webhookId'],
]

/** The bodies from which a reader's may come, the likeliest first. None of them is the reader's. */
export function otherBodies(body: string): OtherBody[] {
  const candidates = [...whiteSpace(body), ...writtenAnew(body), ...encodings(body)]
  return candidates
    .map(([body, says, instead = AS_THEY_ARE]) => ({ body, says: say(says), instead: say(instead) }))
    .filter((other) => other.body !== body)
}

function* whiteSpace(body: string): Generator<Candidate> {
  if (body.startsWith(BOM))
    yield [
      body.slice(1),
      {
        en: 'Your body begins with a byte order mark (BOM) that was not sent.',
        vi: 'Phần thân của bạn bắt đầu bằng dấu thứ tự byte (BOM) vốn không được gửi.',
      },
    ]
  yield [
    withoutBreaks(body),
    {
      en: 'Your body has a line break at its end that was not sent.',
      vi: 'Phần thân của bạn có dấu xuống dòng ở cuối vốn không được gửi.',
    },
  ]
  yield [
    `${body}\n`,
    {
      en: 'Your body lacks the line break at its end.',
      vi: 'Phần thân của bạn thiếu dấu xuống dòng ở cuối.',
    },
  ]
  yield [
    `${body}\r\n`,
    {
      en: 'Your body lacks the line break (CRLF) at its end.',
      vi: 'Phần thân của bạn thiếu dấu xuống dòng (CRLF) ở cuối.',
    },
  ]
  yield [
    body.trim(),
    {
      en: 'Your body has white space around it that was not sent.',
      vi: 'Phần thân của bạn có khoảng trắng ở đầu hoặc cuối vốn không được gửi.',
    },
  ]
  yield [
    BOM + body,
    {
      en: 'Your body lacks the byte order mark (BOM) at its start.',
      vi: 'Phần thân của bạn thiếu dấu thứ tự byte (BOM) ở đầu.',
    },
  ]
  const lines = body.replaceAll('\r\n', '\n')
  yield [
    lines,
    {
      en: 'Its line breaks were changed: LF was sent, and yours are CRLF.',
      vi: 'Dấu xuống dòng đã bị đổi: bản gửi là LF, còn của bạn là CRLF.',
    },
  ]
  yield [
    lines.replaceAll('\n', '\r\n'),
    {
      en: 'Its line breaks were changed: CRLF was sent, and yours are LF.',
      vi: 'Dấu xuống dòng đã bị đổi: bản gửi là CRLF, còn của bạn là LF.',
    },
  ]
  yield [
    lines.trimEnd(),
    {
      en: 'Its line breaks were changed: LF was sent, and nothing behind the last brace.',
      vi: 'Dấu xuống dòng đã bị đổi: bản gửi là LF, và không có gì sau dấu ngoặc cuối.',
    },
  ]
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
      {
        en: 'Your body is a JSON string that has the body inside it.',
        vi: 'Phần thân của bạn là một chuỗi JSON, trong đó mới là phần thân.',
      },
      {
        en: 'Verify the text inside, as it arrived.',
        vi: 'Hãy xác thực văn bản bên trong, đúng như lúc nhận.',
      },
    ]
  const value = typeof parsed === 'string' ? parseJson(parsed) : parsed
  if (value === undefined) return
  const { en, vi } = spellingOf(body)
  yield [
    JSON.stringify(value),
    {
      en: `Your body was parsed and written anew: ${en}.`,
      vi: `Phần thân của bạn đã bị phân tích rồi viết lại: ${vi}.`,
    },
    RAW,
  ]
  yield [
    inOrder(value),
    {
      en: 'Your body was parsed and written anew, with its keys in another order.',
      vi: 'Phần thân của bạn đã bị phân tích rồi viết lại, với các khoá JSON theo thứ tự khác.',
    },
    RAW,
  ]
}

/** The same text in other bytes. */
function* encodings(body: string): Generator<Candidate> {
  for (const form of ['NFC', 'NFD'] as const)
    yield [
      body.normalize(form),
      {
        en: `Your body has its accents in another Unicode form; it was sent in ${form}.`,
        vi: `Dấu trong phần thân của bạn ở dạng Unicode khác; bản gửi ở dạng ${form}.`,
      },
    ]
  const codes = Array.from(body, (char) => char.charCodeAt(0))
  if (codes.some((code) => code > 0x7f) && codes.every((code) => code <= 0xff))
    yield [
      Uint8Array.from(codes),
      {
        en: 'Your body is UTF-8 that was read as Latin-1.',
        vi: 'Phần thân của bạn là UTF-8 nhưng bị đọc như Latin-1.',
      },
      { en: 'Read it as UTF-8, or verify the bytes.', vi: 'Hãy đọc theo UTF-8, hoặc xác thực các byte.' },
    ]
}

/** How another program has written JSON; it says which, where that is known. */
function spellingOf(body: string): Words {
  if (/\n[ \t]*"/.test(body)) return { en: 'it is pretty-printed', vi: 'nó được in thụt dòng' }
  if (/^\s*\{\s*"[^"]*":\s/.test(body))
    return {
      en: 'it has spaces behind colons and commas, as json.dumps of Python writes it',
      vi: 'nó có dấu cách sau dấu hai chấm và dấu phẩy, như json.dumps của Python viết',
    }
  if (body.includes('\\/'))
    return {
      en: 'it has \\/ for /, as json_encode of PHP writes it',
      vi: 'nó có \\/ thay cho /, như json_encode của PHP viết',
    }
  if (/\\u00(?:3c|3e|26)/i.test(body))
    return {
      en: 'it has \\u003c, \\u003e or \\u0026, as json.Marshal of Go writes them',
      vi: 'nó có \\u003c, \\u003e hoặc \\u0026, như json.Marshal của Go viết',
    }
  if (/\\u[0-9a-f]{4}/i.test(body))
    return {
      en: 'it has letters as \\u and four digits, as encoders of Python and PHP write them',
      vi: 'nó có chữ cái viết thành \\u và bốn chữ số, như bộ mã hoá của Python và PHP viết',
    }
  return {
    en: 'white space, escapes or numbers differ',
    vi: 'khoảng trắng, ký tự thoát hoặc số được viết khác',
  }
}

/** Writes an event with its keys in the hub's order, and without keys that the hub never writes. */
function inOrder(value: unknown): string {
  const type = String(Object(value).type)
  const [, keys = ''] = DATA_KEYS.find(([start]) => type.startsWith(start)) ?? []
  return JSON.stringify(value, `${EVENT_KEYS} ${keys}`.split(' '))
}
