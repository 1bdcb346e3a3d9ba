import { type Clock, withLimit } from './clock.ts'
import { NoAnswerError, type OperationName, toHubError } from './errors.ts'

/** A request as it goes out, the same bytes at every attempt. */
export interface OutgoingRequest {
  operation: OperationName
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array<ArrayBuffer> | undefined
  /** Reads the answer. Throws when it is not whole. */
  read(text: string): unknown
}

export interface AttemptLimits {
  fetch: typeof fetch
  clock: Clock
  /** The longest wait for the answer, in milliseconds. */
  limitMs: number
  signal: AbortSignal | undefined
  /** Told about the answer before it is judged. */
  answered(response: Response): void
}

/**
 * Sends a request once, and reads its answer.
 * @throws HubError when the answer is an error, NoAnswerError when there is none, and the reason of the signal.
 */
export function attempt(request: OutgoingRequest, limits: AttemptLimits): Promise<unknown> {
  const { clock, limitMs, signal } = limits
  const late = () => new NoAnswerError(request.operation, `no answer within ${limitMs / 1_000} s`)
  return withLimit((cut) => exchange(request, limits, cut), { clock, limitMs, signal, late })
}

async function exchange(
  { operation, method, url, headers, body, read }: OutgoingRequest,
  limits: AttemptLimits,
  signal: AbortSignal,
): Promise<unknown> {
  let response: Response
  let text: string
  try {
    // A redirect would take the secret to another address.
    const init = { method, headers, signal, redirect: 'manual' as const }
    response = await limits.fetch(url, body === undefined ? init : { ...init, body })
    limits.answered(response)
    text = await response.text()
  } catch (cause) {
    throw new NoAnswerError(operation, 'no answer', { cause })
  }
  if (!response.ok) throw toHubError(operation, response, text)
  try {
    return read(text)
  } catch {
    // The cause would show a part of the answer, which may be a secret.
    throw new NoAnswerError(operation, 'the answer was cut off')
  }
}
