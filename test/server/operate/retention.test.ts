import { expect, it, onTestFinished } from 'vitest'
import { startRetention } from '../../../server/operate/retention.ts'
import { createLog } from '../../../server/platform/log.ts'
import type { Retention } from '../../../server/storage/ports.ts'
import { createVirtualClock } from '../../support/clock.ts'

const DAY_MS = 24 * 60 * 60_000
const NOTHING = { deleted: 0, next: undefined }

/** A storage with some pages of old payments that records its calls. */
function world(keepPaymentsDays: number | undefined, pages = 0, eventPages = 0, pageMs = 0) {
  const clock = createVirtualClock()
  const start = clock.now()
  const asked: { at: number; before: number; after: string }[] = []
  const others: string[] = []
  let left = pages
  let eventsLeft = eventPages
  const state = { broken: false, leads: true, trusted: true }
  const retention: Retention = {
    async prunePayments(before, after) {
      if (state.broken) throw new Error('the disk is full')
      asked.push({ at: clock.now() - start, before: before - clock.now(), after })
      left -= 1
      if (pageMs > 0) await new Promise<void>((resolve) => clock.after(pageMs, resolve))
      return left > 0
        ? { deleted: 100, kept: 2, next: `page-${left}`, reached: `page-${left}` }
        : { ...NOTHING, kept: 1, reached: 'end' }
    },
    async forgetDeleted(before) {
      others.push(`deleted ${before - clock.now()}`)
      return NOTHING
    },
    async pruneEvents(before, after) {
      others.push(`events ${before - clock.now()} ${after}`)
      eventsLeft -= 1
      return eventsLeft > 0 ? { deleted: 200, next: `partner-${eventsLeft}` } : NOTHING
    },
    async pruneCodes(before) {
      others.push(`codes ${before - clock.now()}`)
      return NOTHING
    },
    async pruneAudit(before) {
      others.push(`audit ${before - clock.now()}`)
      return NOTHING
    },
    async pruneTokens(before) {
      others.push(`tokens ${before - clock.now()}`)
      return NOTHING
    },
    async pruneIdempotencyKeys(at) {
      others.push(`keys ${at - clock.now()}`)
      return NOTHING
    },
    newestReceivedAt: async () => undefined,
    noteClock: async () => undefined,
  }
  const lines: string[] = []
  const observed: [kind: string, at: number, kept: number][] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const stop = startRetention({
    retention,
    leads: async () => state.leads,
    clockWatch: { look: async () => (state.trusted ? clock.now() : undefined) },
    observe: (kind, at, kept) => void observed.push([kind, at - start, kept]),
    keepPaymentsDays,
    keepEventsDays: 30,
    clock,
    log,
  })
  onTestFinished(stop)
  return { clock, asked, others, lines, observed, stop, state }
}

it('deletes page by page, rests between them, and begins behind what it has reached after a minute', async () => {
  const { clock, asked, lines, observed } = world(30, 3)
  await clock.wind(60_269)
  const before = -30 * DAY_MS
  expect(asked).toEqual([
    { at: 250, before, after: '' },
    { at: 260, before, after: 'page-2' },
    { at: 270, before, after: 'page-1' },
  ])
  expect(observed.filter(([kind]) => kind === 'payments')).toEqual([['payments', 250, 5]])
  await clock.wind(1)
  expect(asked.at(-1)).toEqual({ at: 60_270, before, after: 'end' })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('"deleted":{"payments":200}')
})

it('rests four times as long as a page takes, up to a quarter of a second, and not at all when it is behind', async () => {
  const pauses = async (pageMs: number) => {
    const { clock, asked } = world(30, 10_000, 0, pageMs)
    await clock.wind(70_000)
    const gaps = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at ?? 0) - pageMs)
    return [gaps[0], gaps.at(-1)]
  }
  expect(await pauses(20)).toEqual([80, 0])
  expect(await pauses(100)).toEqual([250, 0])
})

it('looks at what has to stay once a day', async () => {
  const { clock, asked, observed } = world(30, 1)
  await clock.wind(DAY_MS - 60_000)
  expect(new Set(asked.slice(1).map(({ after }) => after))).toEqual(new Set(['end']))
  const all = observed.filter(([kind]) => kind === 'payments').at(-1)?.[2]
  expect(all).toBeGreaterThan(1_000)
  await clock.wind(2 * 60_000)
  expect(asked.slice(1).map(({ after }) => after)).toContain('')
  expect(observed.filter(([kind]) => kind === 'payments').at(-1)?.[2]).toBeLessThan(5)
})

it('keeps payments for ever by default, and deletes expired codes and keys', async () => {
  const { clock, asked, others } = world(undefined, 3)
  await clock.wind(1_000)
  expect(asked).toEqual([])
  expect(others).toEqual([
    `events ${-30 * DAY_MS} `,
    `codes ${-DAY_MS}`,
    `tokens ${-DAY_MS}`,
    'keys 0',
    `audit ${-400 * DAY_MS}`,
  ])
})

it('keeps events no longer than payments, and deletes a payment after its events', async () => {
  const { clock, asked, others } = world(10, 1, 3)
  await clock.wind(1_000)
  const before = -10 * DAY_MS
  expect(others.filter((one) => one.startsWith('events'))).toEqual([
    `events ${before} `,
    `events ${before} partner-2`,
    `events ${before} partner-1`,
  ])
  expect(asked).toEqual([{ at: 270, before, after: '' }])
  // A payment of that age was deleted 400 days ago.
  expect(others).toContain(`deleted ${-410 * DAY_MS}`)
})

it('continues after a failure, and stops when asked', async () => {
  const { clock, asked, lines, stop, state } = world(30, 1)
  state.broken = true
  await clock.wind(1_000)
  expect(lines.at(-1)).toContain('the disk is full')
  state.broken = false
  await clock.wind(60_000)
  expect(asked).toHaveLength(1)
  stop()
  await clock.wind(DAY_MS)
  expect(asked).toHaveLength(1)
})

it('leaves it to another hub, and takes over when that one is gone', async () => {
  const { clock, asked, others, state } = world(30, 3)
  await clock.wind(250)
  expect(asked).toHaveLength(1)
  state.leads = false
  const before = others.length
  await clock.wind(60_000)
  expect([asked.length, others.length]).toEqual([1, before])
  state.leads = true
  await clock.wind(60_000)
  expect(asked[1]).toMatchObject({ after: 'page-2' })
  expect(others.length).toBeGreaterThan(before)
})

it('deletes nothing while the clock is in doubt, also in the middle of a pass', async () => {
  const { clock, asked, others, state } = world(30, 5)
  await clock.wind(260)
  expect(asked).toHaveLength(2)
  state.trusted = false
  const before = others.length
  await clock.wind(DAY_MS)
  expect([asked.length, others.length]).toEqual([2, before])
  state.trusted = true
  await clock.wind(60_000)
  // The day is over: what has to stay is looked at again.
  expect(asked[2]).toMatchObject({ after: '' })
})
