import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFinal, type Stage } from '../../../server/announcements/announcement.ts'
import { ASKED_AGAIN_MS } from '../../../server/announcements/expiry.ts'
import { reconcile, type StoredAnnouncement } from '../../../server/announcements/reconcile.ts'
import type { BoxMemory } from '../../../server/devices/device.ts'

const NOW = 1_000_000
const PLAYED = 10
const OWN = { played: PLAYED, box: undefined }

function stored(stage: Stage, change: Partial<StoredAnnouncement> = {}): StoredAnnouncement {
  const hasReached = (times: Stage[]) => (times.includes(stage) ? NOW - 1 : undefined)
  return {
    n: PLAYED,
    stage,
    sentAt: hasReached(['sent', 'received', 'expired']),
    receivedAt: hasReached(['received']),
    receivedVoidAt: undefined,
    expiresAt: NOW,
    reason: undefined,
    mayRepeat: undefined,
    ...change,
  }
}

const RECEIVED = { receivedAt: NOW - 1 }
const VOID = stored('received', { n: 9, receivedVoidAt: NOW - 1 })
const FRESH = NOW + ASKED_AGAIN_MS + 1
const ENDING = NOW + ASKED_AGAIN_MS

describe('at a birth', () => {
  it.each<[what: string, StoredAnnouncement, becomes: string]>([
    ['a sent one with the highest number that was played', stored('sent'), 'played'],
    ['a sent one with a lower number, which another one has overtaken', stored('sent', { n: 9 }), 'expired'],
    ['a sent one with a higher number', stored('sent', { n: 11 }), 'expired'],
    ['a received one with a lower number', stored('received', { n: 9 }), 'played'],
    ['a received one with a lower number, void by an earlier birth', VOID, 'expired'],
    ['a void one with the highest number that was played', { ...VOID, n: PLAYED }, 'played'],
    ['a void one that expired before', { ...VOID, stage: 'expired' }, 'nothing'],
    [
      'a received one that expired before, with a lower number',
      { ...stored('expired', RECEIVED), n: 9 },
      'shown',
    ],
    ['a sent one with too little time to send it again', stored('sent', { expiresAt: ENDING }), 'played'],
    ['a sent one with time to send it again', stored('sent', { expiresAt: FRESH }), 'nothing'],
    ['a fresh one that was not played', stored('sent', { n: 11, expiresAt: NOW + 1 }), 'nothing'],
    ['a queued one that is late', stored('queued', { n: 9 }), 'expired'],
    [
      'a fresh queued one with a number up to the highest',
      stored('queued', { expiresAt: FRESH }),
      'renumbered',
    ],
    ['a fresh queued one with a higher number', stored('queued', { n: 11, expiresAt: FRESH }), 'nothing'],
    ['an expired one that was played', stored('expired'), 'shown'],
    ['an expired one that was not played', stored('expired', { n: 9 }), 'nothing'],
    ['an expired one that the device refused', stored('expired', { reason: 'expired' }), 'nothing'],
    ['a failed one', stored('failed', { sentAt: NOW, receivedAt: NOW }), 'nothing'],
  ])('%s: %o becomes %s', (_what, one, becomes) => {
    const lists = Object.entries(reconcile([one], OWN, NOW)).filter(([, list]) => list.length > 0)
    expect(lists).toEqual(becomes === 'nothing' ? [] : [[becomes, [one]]])
  })

  it.each<[what: string, StoredAnnouncement, alsoBecomes: string[]]>([
    ['fresh', stored('received', { n: 11, expiresAt: FRESH }), []],
    ['late', stored('received', { n: 11 }), ['expired']],
    ['expired before', stored('expired', { ...RECEIVED, n: 11 }), []],
  ])('a received one with a higher number was not spoken: its received is void (%s)', (_what, one, also) => {
    const lists = Object.entries(reconcile([one], OWN, NOW)).filter(([, list]) => list.length > 0)
    expect(lists.map(([name]) => name).toSorted()).toEqual([...also, 'voided'])
  })

  it('a received one is voided once, and by no birth that counts it as played', () => {
    const again = stored('received', { n: 11, expiresAt: FRESH, receivedVoidAt: NOW - 1 })
    const counted = stored('received', { n: PLAYED, expiresAt: FRESH })
    expect(reconcile([again, counted], OWN, NOW).voided).toEqual([])
  })

  const anything = fc.record<StoredAnnouncement>({
    n: fc.integer({ min: 1, max: 20 }),
    stage: fc.constantFrom('queued', 'sent', 'received', 'expired', 'failed'),
    sentAt: fc.option(fc.constant(NOW - 1), { nil: undefined }),
    receivedAt: fc.option(fc.constant(NOW - 1), { nil: undefined }),
    receivedVoidAt: fc.option(fc.constant(NOW - 1), { nil: undefined }),
    expiresAt: fc.integer({ min: NOW - 2 * ASKED_AGAIN_MS, max: NOW + 2 * ASKED_AGAIN_MS }),
    reason: fc.option(fc.constant('busy'), { nil: undefined }),
    mayRepeat: fc.constant(undefined),
  })

  it('each announcement changes at most once, and a final one never changes its stage', () => {
    fc.assert(
      fc.property(fc.array(anything), fc.integer({ min: 0, max: 20 }), (all, played) => {
        const { played: heard, expired, shown, renumbered } = reconcile(all, { played, box: undefined }, NOW)
        const changed = [...heard, ...expired, ...shown, ...renumbered]
        expect(new Set(changed).size).toBe(changed.length)
        expect([...heard, ...expired, ...renumbered].filter(({ stage }) => isFinal(stage))).toEqual([])
        expect(shown.filter(({ stage }) => stage !== 'expired')).toEqual([])
      }),
    )
  })

  it('only late announcements expire, nothing above the highest number was played, and new numbers keep the order', () => {
    fc.assert(
      fc.property(fc.array(anything), fc.integer({ min: 0, max: 20 }), (all, played) => {
        const { played: heard, expired, shown, renumbered } = reconcile(all, { played, box: undefined }, NOW)
        expect(expired.filter(({ expiresAt }) => expiresAt > NOW)).toEqual([])
        expect([...heard, ...shown].filter(({ n }) => n > played)).toEqual([])
        const proven = ({ n, receivedAt, receivedVoidAt }: StoredAnnouncement) =>
          n === played || (receivedAt !== undefined && receivedVoidAt === undefined)
        expect([...heard, ...shown].filter((one) => !proven(one))).toEqual([])
        const numbers = renumbered.map(({ n }) => n)
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      }),
    )
  })
})

describe('at the birth of a speaker of another maker', () => {
  const [LATE, YOUNG] = [{ expiresAt: NOW }, { expiresAt: NOW + 1 }]
  const ONCE = { ...YOUNG, mayRepeat: 0 }
  const knows: BoxMemory = { mayRepeat: false, until: 'received' }
  const forgets: BoxMemory = { mayRepeat: true, until: 'received' }
  const reports: BoxMemory = { mayRepeat: false, until: 'played' }

  it.each<[stage: Stage, change: Partial<StoredAnnouncement>, box: BoxMemory, becomes: string]>([
    ['queued', YOUNG, knows, 'nothing'],
    ['queued', LATE, knows, 'expired'],
    ['sent', LATE, knows, 'unconfirmed'],
    ['sent', YOUNG, knows, 'resent'],
    ['sent', YOUNG, forgets, 'repeated'],
    ['sent', ONCE, knows, 'unconfirmed'],
    ['sent', { ...YOUNG, mayRepeat: 1 }, forgets, 'unconfirmed'],
    ['received', LATE, knows, 'delivered'],
    ['received', LATE, reports, 'delivered'],
    ['received', YOUNG, knows, 'delivered'],
    ['received', YOUNG, reports, 'resent'],
    ['received', ONCE, reports, 'delivered'],
    ['expired', LATE, knows, 'nothing'],
    ['failed', LATE, reports, 'nothing'],
    ['delivered', YOUNG, reports, 'nothing'],
  ])('a %s one %o, of a box %o, becomes %s', (stage, change, box, becomes) => {
    const one = stored(stage, change)
    // No watermark: whatever number it says proves nothing.
    for (const played of [0, PLAYED, 99]) {
      const found = Object.entries(reconcile([one], { played, box }, NOW)).filter(
        ([, list]) => list.length > 0,
      )
      expect(found).toEqual(becomes === 'nothing' ? [] : [[becomes, [one]]])
    }
  })
})
