import type { ErrorName } from '../../platform/errors.ts'
import { inEnglish, type Say, type Words } from '../../platform/language/words.ts'
import { publicError } from './catalogue.ts'

/**
 * What a payment processor does after an answer to its callback. The pages, the OpenAPI document, the samples and the
 * client in TypeScript all go by this table: test/server/http/errors/after-callback.test.ts compares it with a hub.
 */

/** What comes next, in words. */
const NEXT_STEPS = {
  done: { en: 'Done.', vi: 'Xong.' },
  renew: {
    en: 'Get a new access token, and send it again at once.',
    vi: 'Lấy access token mới rồi gửi lại ngay.',
  },
  wait: {
    en: 'Send it again after the seconds in `Retry-After`.',
    vi: 'Gửi lại sau số giây ghi trong `Retry-After`.',
  },
  pause: {
    en: 'Send it again with growing pauses, for as long as it takes.',
    vi: 'Gửi lại với khoảng chờ dài dần, cho đến khi được.',
  },
  stop: {
    en: 'Stop and look: the same request gets the same answer.',
    vi: 'Dừng lại và kiểm tra: yêu cầu như cũ sẽ nhận câu trả lời như cũ.',
  },
}

export type NextStep = keyof typeof NEXT_STEPS

/**
 * The next step after an error of the hub, advice for a person, and the error's message in the other languages of the pages:
 * the API has it in English.
 */
type Entry = readonly [next: NextStep, advice: Words, message: Omit<Words, 'en'>]

const SECOND_TIME = {
  en: 'If the new one is refused, too, stop and look.',
  vi: 'Nếu token mới cũng bị từ chối, hãy dừng lại và kiểm tra.',
}

/** Every error that a callback can get from the hub. */
export const AFTER_ERROR = {
  INVALID_TOKEN: ['renew', SECOND_TIME, { vi: 'Access token không hợp lệ.' }],
  TOKEN_EXPIRED: ['renew', SECOND_TIME, { vi: 'Access token đã hết hạn: hãy lấy token mới.' }],
  RATE_LIMITED: [
    'wait',
    {
      en: 'Callbacks that were refused count, and so do requests with a dead token: the answer after the wait says which. What is accepted is never limited.',
      vi: 'Callback bị từ chối và yêu cầu dùng token đã hết hiệu lực đều bị tính: câu trả lời sau khi chờ cho biết là trường hợp nào. Callback được chấp nhận không bao giờ bị giới hạn.',
    },
    { vi: 'Quá nhiều yêu cầu: hãy chờ số giây ghi trong Retry-After.' },
  ],
  UNAVAILABLE: [
    'wait',
    {
      en: 'Its storage does not answer, or its clock is wrong.',
      vi: 'Kho dữ liệu của hub không trả lời, hoặc đồng hồ của hub sai.',
    },
    { vi: 'Hub chưa xử lý được lúc này: hãy chờ số giây ghi trong Retry-After.' },
  ],
  REQUEST_TIMEOUT: [
    'pause',
    { en: 'If it stays, look at your network.', vi: 'Nếu vẫn bị, hãy kiểm tra mạng của bạn.' },
    { vi: 'Yêu cầu đến hub quá lâu.' },
  ],
  INTERNAL: [
    'pause',
    {
      en: 'If it stays, tell the operator the `requestId`.',
      vi: 'Nếu vẫn bị, hãy báo `requestId` cho đơn vị vận hành hub.',
    },
    { vi: 'Hub gặp lỗi khi xử lý yêu cầu này.' },
  ],
  MALFORMED_JSON: [
    'stop',
    { en: 'Correct the body.', vi: 'Sửa phần thân của yêu cầu.' },
    { vi: 'Phần thân không phải là một đối tượng JSON trong UTF-8.' },
  ],
  VALIDATION_FAILED: [
    'stop',
    { en: 'Correct the fields that `details` names.', vi: 'Sửa các trường mà `details` nêu tên.' },
    { vi: 'Một số trường bị thiếu hoặc không hợp lệ; xem details.' },
  ],
  MALFORMED_HTTP: [
    'stop',
    {
      en: 'Correct your HTTP client, or the proxy on the way.',
      vi: 'Sửa HTTP client của bạn, hoặc proxy trên đường đi.',
    },
    { vi: 'Yêu cầu không đúng HTTP/1.1, hoặc kết thúc quá sớm.' },
  ],
  CHECKSUM_MISMATCH: [
    'stop',
    {
      en: '`details` names the usual mistakes; the calculator at `/docs/checksum` shows the others.',
      vi: '`details` nêu tên các lỗi thường gặp; công cụ tính ở `/docs/checksum` chỉ ra các lỗi khác.',
    },
    { vi: 'Checksum không khớp; xem details.' },
  ],
  BODY_STORE_NOT_FOUND: [
    'stop',
    {
      en: 'Correct `terminalID`, or register a speaker for it.',
      vi: 'Sửa `terminalID`, hoặc đăng ký một loa cho nó.',
    },
    { vi: 'Cửa hàng này không tồn tại.' },
  ],
  TRANSACTION_CONFLICT: [
    'stop',
    {
      en: 'Compare both: a retry sends the same content, and another payment has another `ftCode`.',
      vi: 'Đối chiếu hai bên: lần gửi lại phải có cùng nội dung, còn khoản thanh toán khác phải có `ftCode` khác.',
    },
    { vi: 'Giao dịch này đã được báo trước đó với nội dung khác; không có gì thay đổi.' },
  ],
  MISSING_CREDENTIALS: [
    'stop',
    { en: 'Send the token in the header `Authorization`.', vi: 'Gửi token trong header `Authorization`.' },
    {
      vi: 'Hãy gửi access token trong header Authorization: Bearer hoặc, để lấy token, gửi client id và khoá bí mật.',
    },
  ],
  CLIENT_ID_MISMATCH: [
    'stop',
    { en: 'Correct `x-client-id`, or leave it out.', vi: 'Sửa `x-client-id`, hoặc bỏ nó đi.' },
    { vi: 'x-client-id không phải là client của access token.' },
  ],
  CLIENT_DISABLED: [
    'stop',
    { en: 'Ask the operator of the hub.', vi: 'Hỏi đơn vị vận hành hub.' },
    { vi: 'Client này đã bị khoá.' },
  ],
  PAYLOAD_TOO_LARGE: [
    'stop',
    { en: 'Send the fields of the payment alone.', vi: 'Chỉ gửi các trường của khoản thanh toán.' },
    { vi: 'Phần thân lớn hơn 16 KiB.' },
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    'stop',
    { en: 'Send `Content-Type: application/json`.', vi: 'Gửi `Content-Type: application/json`.' },
    { vi: 'Hãy gửi phần thân là application/json trong UTF-8, không nén.' },
  ],
  HEADERS_TOO_LARGE: [
    'stop',
    { en: 'Send fewer headers.', vi: 'Gửi ít header hơn.' },
    { vi: 'Các header lớn hơn 8 KiB.' },
  ],
} as const satisfies Partial<Record<ErrorName, Entry>>

type CallbackError = keyof typeof AFTER_ERROR

/** A row of the table "After a callback". Words in backticks are code. */
export interface Row {
  /** A status or a code, or words when the answer has neither. */
  answer: string
  /** The error's name, in the row of a code. */
  error?: string
  meaning: string
  next: NextStep
  /** What to do, in sentences. */
  todo: string
}

interface Parts {
  answer: Words
  meaning: Words
  next: NextStep
  advice?: Words
}

/** The answers that have no code of the hub. */
const WITHOUT_CODE = {
  taken: {
    answer: { en: '`200`', vi: '`200`' },
    meaning: {
      en: 'The payment is on disk, and will be announced.',
      vi: 'Khoản thanh toán đã được ghi xuống đĩa, và sẽ được loa đọc.',
    },
    next: 'done',
  },
  none: {
    answer: { en: 'none', vi: 'không có' },
    meaning: {
      en: 'No connection, no answer in time, a part of one, or a `200` without its JSON. The payment may be on disk: then the repeat gets its answer.',
      vi: 'Không kết nối được, không có câu trả lời kịp lúc, chỉ có một phần, hoặc `200` mà không có JSON. Khoản thanh toán có thể đã được ghi xuống đĩa: khi đó lần gửi lại nhận câu trả lời của nó.',
    },
    next: 'pause',
  },
  proxy: {
    answer: {
      en: 'another `5xx`, and a `408` or `429` without a code',
      vi: '`5xx` khác, và `408` hoặc `429` không kèm mã lỗi',
    },
    meaning: {
      en: 'A proxy answers, and the hub is away or busy.',
      vi: 'Proxy trả lời, còn hub không liên lạc được hoặc đang bận.',
    },
    next: 'pause',
    advice: {
      en: 'With `Retry-After`, wait for as long.',
      vi: 'Nếu có `Retry-After`, hãy chờ đủ lâu như thế.',
    },
  },
  others: {
    answer: { en: 'any other', vi: 'mọi câu trả lời khác' },
    meaning: { en: 'It is no answer to a callback.', vi: 'Đó không phải là câu trả lời cho một callback.' },
    next: 'stop',
    advice: {
      en: 'Correct the address, or the proxy on the way.',
      vi: 'Sửa địa chỉ, hoặc proxy trên đường đi.',
    },
  },
} as const satisfies Record<string, Parts>

/** The table: every answer that a callback can get, those that repeat first. */
export function afterCallback(say: Say): Row[] {
  return [
    rowOf(WITHOUT_CODE.taken, say),
    rowOf(WITHOUT_CODE.none, say),
    ...codes(['renew', 'wait', 'pause'], say),
    rowOf(WITHOUT_CODE.proxy, say),
    ...codes(['stop'], say),
    rowOf(WITHOUT_CODE.others, say),
  ]
}

export const AFTER_CALLBACK: readonly Row[] = afterCallback(inEnglish)

function codes(steps: readonly NextStep[], say: Say): Row[] {
  // Object.keys widens the type of the names.
  const names = Object.keys(AFTER_ERROR) as CallbackError[]
  return names
    .filter((name) => steps.includes(AFTER_ERROR[name][0]))
    .map((name) => {
      const { code, error, message } = publicError(name)
      const [next, advice, translated] = AFTER_ERROR[name]
      const answer = `\`${code}\``
      const meaning = { en: message, ...translated }
      return { ...rowOf({ answer: { en: answer, vi: answer }, meaning, next, advice }, say), error }
    })
}

function rowOf({ answer, meaning, next, advice }: Parts, say: Say): Row {
  const todo = [NEXT_STEPS[next], ...(advice ? [advice] : [])].map((words) => say(words)).join(' ')
  return { answer: say(answer), meaning: say(meaning), next, todo }
}

/** The table in Markdown. */
export function afterCallbackMarkdown(): string {
  const rows = AFTER_CALLBACK.map(
    ({ answer, error, meaning, todo }) =>
      `| ${error === undefined ? answer : `${answer} ${error}`} | ${meaning} | ${todo} |`,
  )
  return ['| Response | What it means | Do this |', '|---|---|---|', ...rows].join('\n')
}
