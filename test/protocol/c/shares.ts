import type { Case } from '../../../protocol/conformance/case/schema.ts'

/** A run mostly waits for its device, so several devices have a share of the cases each. */
const SHARES = 8

/** The ids of each share. The rules for every packet belong to all of them. Each slow case has a device of its own. */
export function sharesOf(cases: readonly Case[], { slow = false } = {}): string[][] {
  const rules = cases.filter(({ always }) => always).map(({ id }) => id)
  const acts = cases.filter((one) => one.steps && !one.slow)
  // One device comes back often enough to judge its waits.
  const reconnecting = acts.filter(({ area }) => area === 'reconnection').map(({ id }) => id)
  const others = acts.filter(({ area }) => area !== 'reconnection').map(({ id }) => id)
  const shares = Array.from({ length: SHARES - 1 }, (_, share) =>
    others.filter((_id, place) => place % (SHARES - 1) === share),
  )
  const long = slow ? cases.filter((one) => one.slow).map(({ id }) => [id]) : []
  return [reconnecting, ...shares, ...long].map((share) => [...share, ...rules])
}

/** The cases that do not apply to a device that lacks nothing, and has no clock of its own. */
export const NOT_FOR_A_WHOLE_DEVICE = [
  ...['screen', 'speaker', 'qr', 'vietnamese', 'english'].map((what) => `ack/no-${what}`),
  ...['expiry/clock-of-welcome-preferred', 'power/given-up-in-time', 'held/shorter-sum-of-repeat'],
  ...['order/no-room', 'power/acks-await-welcome', 'screen/code-goes'],
  ...['rekey/after-the-sentence', 'size/longest-sentence'],
]
