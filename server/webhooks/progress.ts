import type { Progress } from './ports.ts'
import { ONLY_FAILURES_MS, type Webhook } from './webhook.ts'

/** The stored health of a webhook. */
export interface Standing extends Pick<Webhook, 'state' | 'failingSince' | 'lastDeliveredAt'> {
  revision: number
  probeAt: number | undefined
  /** When it was enabled, or got another URL: earlier failures do not count. */
  enabledAt: number
}

export type Judged = Required<Pick<Progress, 'failingSince' | 'lastDeliveredAt' | 'probeAt' | 'disabled'>>

/**
 * The health of a webhook after attempts that are stored at `at`. A hub that was frozen stores late: attempts from before
 * the last success, or from before the webhook was enabled again, change nothing.
 */
export function judgeProgress(standing: Standing, progress: Progress, at: number): Judged {
  const { state, enabledAt, failingSince } = standing
  // A partner that has changed the webhook has ended the wait.
  const { probeAt } = standing.revision === progress.revision ? progress : standing
  const lastDeliveredAt = latest(standing.lastDeliveredAt, progress.lastDeliveredAt)
  const attempts = progress.deliveries.flatMap((delivery) => delivery.attempts.at(-1)?.at ?? [])
  const lastAttemptAt = attempts.length > 0 ? Math.max(...attempts) : at
  const goodAt = Math.max(enabledAt, standing.lastDeliveredAt ?? enabledAt)
  if (lastAttemptAt < goodAt || progress.deliveries.length === 0)
    return { failingSince, lastDeliveredAt, probeAt: standing.probeAt, disabled: undefined }
  const since = progress.failingSince === undefined ? undefined : Math.max(progress.failingSince, enabledAt)
  const hasOnlyFailed = since !== undefined && at - Math.max(since, goodAt) >= ONLY_FAILURES_MS
  const isDisabled = progress.disabled === 'gone' || (progress.disabled === 'failing' && hasOnlyFailed)
  return {
    failingSince: since,
    lastDeliveredAt,
    probeAt,
    disabled: isDisabled && state === 'enabled' ? progress.disabled : undefined,
  }
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}
