import type { ErrorNames, Operations } from '../generated/operations.ts'
import type { ErrorResponsePayloadDto } from '../generated/types.ts'

export type OperationName = keyof Operations
/** All codes that operations answer with. Later releases of a hub may have more. */
export type ErrorCode = keyof ErrorNames
/** The codes of one operation. */
export type ErrorCodeOf<Name extends OperationName> = Operations[Name]['codes']

/** A field that the hub refuses, and why. */
export type ErrorDetail = ErrorResponsePayloadDto['details'][number]

export interface Refusal {
  operation: OperationName
  status: number
  code: number
  error: string
  message: string
  requestId: string | undefined
  details: readonly ErrorDetail[]
  retryAfterMs: number | undefined
}

const TOO_MANY_LOGIN_FAILURES = 42902

/** The hub has answered with an error. It contains no secret and nothing of the request. */
export class HubError extends Error {
  override readonly name = 'HubError'
  readonly operation: OperationName
  /** Of HTTP; 0 for a redirect in a browser, which the client does not follow. */
  readonly status: number
  /** Its first three digits are the status. An answer that is not the hub's own, such as a proxy's, has the status and 00. */
  readonly code: number
  /** The name of the code. Two names have two codes each: branch on `code`. */
  readonly error: string
  /** Identifies the line in the hub's log. */
  readonly requestId: string | undefined
  /** Every wrong field. */
  readonly details: readonly ErrorDetail[]
  /** How long the hub asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor({ operation, status, code, error, message, requestId, details, retryAfterMs }: Refusal) {
    const issues = details.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
    super(`${operation}: ${code} ${error}: ${message}${issues && ` (${issues})`}`)
    this.operation = operation
    this.status = status
    this.code = code
    this.error = error
    this.requestId = requestId
    this.details = details
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same request may succeed later. All others need a person. */
  get isTemporary(): boolean {
    return (
      this.status === 408 ||
      this.status >= 500 ||
      // The right secret is never refused because of wrong ones, so this one is wrong.
      (this.status === 429 && this.code !== TOO_MANY_LOGIN_FAILURES)
    )
  }
}

/** No answer has come, or only a part of one. The hub may have carried out the request all the same. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  readonly operation: OperationName
  readonly isTemporary = true

  constructor(operation: OperationName, why: string, options?: ErrorOptions) {
    super(`${operation}: ${why}`, options)
    this.operation = operation
  }
}

/** Whether it is an error of the hub with one of these codes, or with any when none is given. */
export function isHubError<Code extends ErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is HubError & { readonly code: Code; readonly error: ErrorNames[Code] } {
  return error instanceof HubError && (codes.length === 0 || codes.some((code) => code === error.code))
}

/** Whether the same call may succeed later: keep it, and make it again. */
export const isTemporary = (error: unknown): boolean =>
  (error instanceof HubError || error instanceof NoAnswerError) && error.isTemporary

/** Reads an answer that is no success. */
export function toHubError(operation: OperationName, { status, headers }: Response, text: string): HubError {
  const body = parsed(text)
  const isOwn = typeof body.code === 'number' && Math.floor(body.code / 100) === status
  const said = (value: unknown, otherwise: string) => (isOwn && typeof value === 'string' ? value : otherwise)
  return new HubError({
    operation,
    status,
    code: isOwn ? Number(body.code) : status * 100,
    error: said(body.error, 'UNKNOWN'),
    message: said(body.message, 'the answer is not of the hub itself'),
    requestId: headers.get('x-request-id') ?? undefined,
    details: isOwn && Array.isArray(body.details) ? body.details : [],
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  })
}

function parsed(text: string): Partial<Record<keyof ErrorResponsePayloadDto, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** The hub writes seconds; a proxy may write a date. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined
}
