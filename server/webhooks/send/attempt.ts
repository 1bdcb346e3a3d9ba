import { type PartnerEvent, toEventJson } from '../../events/event.ts'
import type { Logger } from '../../platform/log.ts'
import type { Sending } from '../ports.ts'
import { webhookHeaders } from '../sign.ts'
import type { Post, PostResult } from './post.ts'

/** Sends an event to a webhook once: the same bytes each time, signed for this attempt. Undefined when it was stopped. */
export async function attempt(
  { post, log }: { post: Post; log: Logger },
  { url, secret, previous }: Pick<Sending, 'url' | 'secret' | 'previous'>,
  event: PartnerEvent,
  at: number,
  stop: AbortSignal,
): Promise<PostResult | undefined> {
  const secrets = [secret, ...(previous && previous.until > at ? [previous.secret] : [])]
  const body = JSON.stringify(toEventJson(event))
  try {
    return await post({ url, headers: webhookHeaders(secrets, { id: event.id, at, body }), body }, stop)
  } catch (error) {
    log.error({ err: error }, 'sending to a webhook has failed')
    const sentence = 'The hub could not send the request.'
    return { outcome: 'unreachable', status: undefined, error: sentence, reply: '', retryAfterMs: undefined }
  }
}
