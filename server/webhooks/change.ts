import type { Webhook, WebhookFields } from './webhook.ts'

/** A field that is absent stays unchanged. `types: undefined` means all types. */
export type WebhookChange = Partial<WebhookFields> & { state?: Webhook['state'] }

const FIELDS = ['url', 'types', 'description', 'state'] as const

/** The fields that get another value, for the audit. Undefined when there are none. */
function changesOf(before: Webhook, change: WebhookChange) {
  const after = { ...before, ...change }
  const changed = FIELDS.filter((name) => String(before[name]) !== String(after[name]))
  if (changed.length === 0) return undefined
  return { changed, ...(changed.includes('state') && { state: [before.state, after.state] }) }
}

/** Whether a change has an effect. To enable a failing webhook also ends the count of its failures. */
export function hasEffect(before: Webhook, change: WebhookChange): boolean {
  const endsFailure = change.state === 'enabled' && before.failingSince !== undefined
  return endsFailure || changesOf(before, change) !== undefined
}

/** What a change makes of a webhook. */
export function afterChange(before: Webhook, change: WebhookChange) {
  const isEnabled = change.state === 'enabled'
  const isPaused = change.state === 'disabled' && before.state === 'enabled'
  const after: Webhook = {
    ...before,
    ...change,
    disabledReason: isEnabled || isPaused ? undefined : before.disabledReason,
    failingSince: isEnabled ? undefined : before.failingSince,
  }
  return {
    after,
    changes: changesOf(before, change),
    /** The cause of failures may be repaired: all pending deliveries are due at once. */
    isRepair: isEnabled || after.url !== before.url,
  }
}
