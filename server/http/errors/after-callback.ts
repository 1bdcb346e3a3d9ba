import type { ErrorName } from '../../platform/errors.ts'
import { publicError } from './catalogue.ts'

/**
 * What a payment processor does after an answer to its callback. The pages, the OpenAPI document, the samples and the
 * client in TypeScript all go by this table: test/server/http/errors/after-callback.test.ts compares it with a hub.
 */

/** What comes next, in words. */
const NEXT_STEPS = {
  done: 'Done.',
  renew: 'Get a new access token, and send it again at once.',
  wait: 'Send it again after the seconds in `Retry-After`.',
  pause: 'Send it again with growing pauses, for as long as it takes.',
  stop: 'Stop and look: the same request gets the same answer.',
}

export type NextStep = keyof typeof NEXT_STEPS

/** The next step after an error of the hub, and advice for a person. */
type Entry = readonly [next: NextStep, advice: string]

const SECOND_TIME = 'If the new one is refused, too, stop and look.'

/** Every error that a callback can get from the hub. */
export const AFTER_ERROR = {
  INVALID_TOKEN: ['renew', SECOND_TIME],
  TOKEN_EXPIRED: ['renew', SECOND_TIME],
  RATE_LIMITED: [
    'wait',
    'Callbacks that were refused count, and so do requests with a dead token: the answer after the wait says which. What is accepted is never limited.',
  ],
  UNAVAILABLE: ['wait', 'Its storage does not answer, or its clock is wrong.'],
  REQUEST_TIMEOUT: ['pause', 'If it stays, look at your network.'],
  INTERNAL: ['pause', 'If it stays, tell the operator the `requestId`.'],
  MALFORMED_JSON: ['stop', 'Correct the body.'],
  VALIDATION_FAILED: ['stop', 'Correct the fields that `details` names.'],
  MALFORMED_HTTP: ['stop', 'Correct your HTTP client, or the proxy on the way.'],
  CHECKSUM_MISMATCH: [
    'stop',
    '`details` names the usual mistakes; the calculator at `/docs/checksum` shows the others.',
  ],
  BODY_STORE_NOT_FOUND: ['stop', 'Correct `terminalID`, or register a speaker for it.'],
  TRANSACTION_CONFLICT: [
    'stop',
    'Compare both: a retry sends the same content, and another payment has another `ftCode`.',
  ],
  MISSING_CREDENTIALS: ['stop', 'Send the token in the header `Authorization`.'],
  CLIENT_ID_MISMATCH: ['stop', 'Correct `x-client-id`, or leave it out.'],
  CLIENT_DISABLED: ['stop', 'Ask the operator of the hub.'],
  PAYLOAD_TOO_LARGE: ['stop', 'Send the fields of the payment alone.'],
  UNSUPPORTED_MEDIA_TYPE: ['stop', 'Send `Content-Type: application/json`.'],
  HEADERS_TOO_LARGE: ['stop', 'Send fewer headers.'],
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

/** The answers that have no code of the hub. */
const WITHOUT_CODE = {
  taken: row('`200`', 'The payment is on disk, and will be announced.', 'done'),
  none: row(
    'none',
    'No connection, no answer in time, a part of one, or a `200` without its JSON. The payment may be on disk: then the repeat gets its answer.',
    'pause',
  ),
  proxy: row(
    'another `5xx`, and a `408` or `429` without a code',
    'A proxy answers, and the hub is away or busy.',
    'pause',
    'With `Retry-After`, wait for as long.',
  ),
  others: row(
    'any other',
    'It is no answer to a callback.',
    'stop',
    'Correct the address, or the proxy on the way.',
  ),
}

/** The table: every answer that a callback can get, those that repeat first. */
export const AFTER_CALLBACK: readonly Row[] = [
  WITHOUT_CODE.taken,
  WITHOUT_CODE.none,
  ...codes(['renew', 'wait', 'pause']),
  WITHOUT_CODE.proxy,
  ...codes(['stop']),
  WITHOUT_CODE.others,
]

function codes(steps: readonly NextStep[]): Row[] {
  // Object.keys widens the type of the names.
  const names = Object.keys(AFTER_ERROR) as CallbackError[]
  return names
    .filter((name) => steps.includes(AFTER_ERROR[name][0]))
    .map((name) => {
      const { code, error, message } = publicError(name)
      const [next, advice] = AFTER_ERROR[name]
      return { ...row(`\`${code}\``, message, next, advice), error }
    })
}

function row(answer: string, meaning: string, next: NextStep, advice?: string): Row {
  return { answer, meaning, next, todo: [NEXT_STEPS[next], ...(advice ? [advice] : [])].join(' ') }
}

/** The table in Markdown. */
export function afterCallbackMarkdown(): string {
  const rows = AFTER_CALLBACK.map(
    ({ answer, error, meaning, todo }) =>
      `| ${error === undefined ? answer : `${answer} ${error}`} | ${meaning} | ${todo} |`,
  )
  return ['| Response | What it means | Do this |', '|---|---|---|', ...rows].join('\n')
}
