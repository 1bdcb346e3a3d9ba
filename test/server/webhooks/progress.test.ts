import { describe, expect, it } from 'vitest'
import type { Progress } from '../../../server/webhooks/ports.ts'
import { judgeProgress, type Standing } from '../../../server/webhooks/progress.ts'
import { type Delivery, ONLY_FAILURES_MS } from '../../../server/webhooks/webhook.ts'

const ENABLED = 1_000
const FIVE_DAYS = ENABLED + ONLY_FAILURES_MS

const good: Standing = {
  ...{ state: 'enabled', revision: 0, probeAt: undefined },
  enabledAt: ENABLED,
  failingSince: undefined,
  lastDeliveredAt: undefined,
}

/** Progress with one attempt at an instant. */
function attempted(at: number, change: Partial<Progress> = {}): Progress {
  const attempt = { at, ms: 1, status: 500, error: undefined, reply: '' }
  const delivery: Delivery = {
    ...{ webhookId: 'wh_1', seq: 1, eventId: 'evt_1', type: 'bill.paid', state: 'pending', step: 1 },
    ...{ nextAt: at + 5_000, attempts: [attempt] },
  }
  return {
    ...{ webhookId: 'wh_1', revision: 0, deliveries: [delivery], feeds: [] },
    ...{ failingSince: undefined, lastDeliveredAt: undefined, disabled: undefined, ...change },
  }
}

const judge = (change: Partial<Standing>, progress: Progress, at: number) =>
  judgeProgress({ ...good, ...change }, progress, at)

it('takes over what attempts tell', () => {
  expect(judge({}, attempted(2_000, { failingSince: 2_000 }), 2_001)).toEqual({
    ...{ failingSince: 2_000, lastDeliveredAt: undefined, disabled: undefined },
  })
  expect(judge({ failingSince: 2_000 }, attempted(3_000, { lastDeliveredAt: 3_000 }), 3_001)).toEqual({
    ...{ failingSince: undefined, lastDeliveredAt: 3_000, disabled: undefined },
  })
})

it('leaves how it goes when feeds alone have moved', () => {
  const moved = { ...attempted(0, { failingSince: 1_500 }), deliveries: [] }
  expect(judge({ lastDeliveredAt: 2_000 }, moved, 3_000)).toEqual({
    ...{ failingSince: undefined, lastDeliveredAt: 2_000, disabled: undefined },
  })
})

describe('disables', () => {
  const failing = { failingSince: ENABLED, disabled: 'failing' } as const
  it.each([
    ['after five days of failures', {}, attempted(FIVE_DAYS, failing), FIVE_DAYS, 'failing'],
    ['not a moment before', {}, attempted(FIVE_DAYS - 1, failing), FIVE_DAYS - 1, undefined],
    [
      'not after a success since',
      { lastDeliveredAt: 5_000 },
      attempted(FIVE_DAYS, failing),
      FIVE_DAYS,
      undefined,
    ],
    [
      'one that is gone, at once',
      {},
      attempted(2_000, { failingSince: 2_000, disabled: 'gone' }),
      2_000,
      'gone',
    ],
    [
      'none by a 410 from before it was enabled',
      ...([{}, attempted(ENABLED - 1, { failingSince: 1, disabled: 'gone' }), 2_000, undefined] as const),
    ],
    [
      'none that is disabled already',
      ...([{ state: 'disabled' }, attempted(2_000, { disabled: 'gone' }), 2_000, undefined] as const),
    ],
  ] as const)('%s', (_, standing, progress, at, disabled) => {
    expect(judge(standing, progress, at).disabled).toBe(disabled)
  })
})

it('counts failures from the instant on at which it was enabled', () => {
  expect(judge({}, attempted(2_000, { failingSince: 10 }), 2_000).failingSince).toBe(ENABLED)
})

it('never sets the last success back', () => {
  const late = attempted(4_000, { lastDeliveredAt: 4_000 })
  expect(judge({ lastDeliveredAt: 5_000, failingSince: 6_000 }, late, 7_000)).toEqual({
    ...{ failingSince: 6_000, lastDeliveredAt: 5_000, disabled: undefined },
  })
})

it('takes over when the endpoint is tried next, unless the partner has changed the webhook meanwhile', () => {
  const held = attempted(2_000, { failingSince: 2_000, probeAt: 7_000 })
  expect(judge({}, held, 2_001)).toMatchObject({ probeAt: 7_000 })
  expect(judge({ probeAt: 7_000 }, attempted(3_000), 3_001)).toMatchObject({ probeAt: undefined })
  expect(judge({ revision: 1 }, held, 2_001)).toMatchObject({ probeAt: undefined })
  const moved = { ...held, deliveries: [], probeAt: undefined }
  expect(judge({ probeAt: 7_000 }, moved, 2_001)).toMatchObject({ probeAt: 7_000 })
})
