import type { Clock } from '../../platform/clock.ts'
import { causeOf } from '../../platform/errors.ts'
import { webhookHeaders } from '../../webhooks/sign.ts'
import { withTimeout } from './with-timeout.ts'

const TIMEOUT_MS = 15_000
/** Bytes of a response body that are read, so that its connection can be used again. */
const MOST_READ = 65_536

/** What became of a message: the status of the response, or why there was none. */
export type Forwarded = { ms: number } & ({ status: number } | { error: string })

/** Sends a message once, signed, and does not follow redirects. `stopping` ends it early. */
export async function forward(
  { url, secret, clock, stopping }: { url: string; secret: string; clock: Clock; stopping: AbortSignal },
  { id, body }: { id: string; body: string },
): Promise<Forwarded> {
  const startedAt = clock.elapsed()
  const ms = () => Math.round(clock.elapsed() - startedAt)
  try {
    const status = await withTimeout({ clock, timeoutMs: TIMEOUT_MS, stopping }, async (signal) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...webhookHeaders([secret], { id, at: clock.now(), body }),
        },
        body,
        redirect: 'manual',
        signal,
      })
      await discard(response)
      return response.status
    })
    return { status, ms: ms() }
  } catch (error) {
    return { error: causeOf(error), ms: ms() }
  }
}

/** Reads a response body to its end or up to the limit, and keeps nothing of it. */
async function discard({ body }: Response) {
  let read = 0
  // Leaving the loop cancels what is left.
  for await (const chunk of body ?? []) {
    read += chunk.length
    if (read > MOST_READ) break
  }
}
