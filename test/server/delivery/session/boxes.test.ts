import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionRules } from '../../../../server/delivery/session/ports.ts'
import * as state from '../../../../server/delivery/session/state.ts'
import { rules as sb1Rules } from '../../../../server/dialects/sb1/limits.ts'
import { type Kind, open } from './open.ts'

const UNCONFIRMED_MS = 10_000
const BUSY_MS = 4_000

/** A box that says one announcement at a time, and would say a repeat again. */
const DELIVERS: SessionRules = {
  dialect: 'oneway',
  pacing: {
    ...{ resendAfterMs: [], yieldAfterMs: UNCONFIRMED_MS, unanswered: 'reset' },
    ...{ leastTimeToLiveMs: 1_000, offlineAfterKeepalives: 2 },
  },
  proof: { ...sb1Rules.proof, announce: 'delivered' },
  birth: 'subscribe',
  canShowMissed: false,
  busyMs: ({ kind }) => (kind === 'announce' ? BUSY_MS : 0),
}
/** A box that reports what it has played. */
const PLAYS: SessionRules = {
  ...DELIVERS,
  proof: sb1Rules.proof,
  playedWithinMs: 60_000,
  busyMs: () => 0,
}

describe('a box whose memory does not settle a repeat', () => {
  it('is never sent anything twice: without a PUBACK its connection is reset', () => {
    const { push, stored, wind, sendings, resets, phases } = open(DELIVERS)
    push('announce')
    stored()
    wind(UNCONFIRMED_MS - 1)
    expect(resets).toEqual([])
    wind(60_000)
    expect(resets).toEqual([UNCONFIRMED_MS])
    expect(sendings).toHaveLength(1)
    expect(phases()).toEqual(['unanswered'])
  })

  it('is reset at once when an announcement without a PUBACK is withdrawn: it could arrive minutes later', () => {
    const { session, rules, run, push, stored, wind, resets, sendings } = open(DELIVERS)
    const { id } = push('announce')
    stored()
    push('announce')
    run(state.withdraw(session, ({ body }) => body.kind === 'announce', rules))
    wind(UNCONFIRMED_MS)
    expect(resets).toEqual([0])
    expect(sendings.map((one) => one.id)).toEqual([id])
  })

  it('keeps its connection while its PUBACK is being stored', () => {
    const { session, push, stored, wind, resets } = open(DELIVERS)
    const { id } = push('announce')
    stored()
    state.ackArrived(session, { commandId: id, commandNumber: 1, stage: 'delivered', reason: undefined })
    wind(3 * UNCONFIRMED_MS)
    expect(resets).toEqual([])
  })

  it('keeps its connection when an announcement whose PUBACK is being stored is withdrawn', () => {
    const { session, rules, run, push, stored, wind, resets } = open(DELIVERS)
    const { id } = push('announce')
    stored()
    state.ackArrived(session, { commandId: id, commandNumber: 1, stage: 'delivered', reason: undefined })
    run(state.withdraw(session, ({ body }) => body.kind === 'announce', rules))
    wind(3 * UNCONFIRMED_MS)
    expect(resets).toEqual([])
  })

  it('gets the next announcement when it has said the one before, and other commands meanwhile', () => {
    const { push, stored, ack, wind, sendings } = open(DELIVERS)
    const [first, second] = [push('announce'), push('announce')]
    stored()
    ack(first.id, 'delivered')
    const screen = push('profile')
    stored()
    ack(screen.id, 'shown')
    wind(BUSY_MS - 1)
    stored()
    expect(sendings.map(({ id }) => id)).toEqual([first.id, screen.id])
    wind(1)
    stored()
    expect(sendings.map(({ id, at }) => [id, at])).toContainEqual([second.id, BUSY_MS])
  })

  it('is sent nothing again when its session begins again: what was sent stays sent', () => {
    const { session, rules, run, push, stored, ack, sendings, ends } = open(DELIVERS)
    const { id } = push('announce')
    stored()
    run(state.hold(session, rules))
    run(state.begin(session, rules))
    stored()
    expect(sendings).toHaveLength(1)
    ack(id, 'delivered')
    expect(ends).toEqual([[id, 'done']])
  })
})

describe('a box that reports what it has played', () => {
  it('gets no other announcement before its report', () => {
    const { push, stored, ack, sendings, ends } = open(PLAYS)
    const [first, second] = [push('announce'), push('announce')]
    stored()
    ack(first.id, 'received')
    stored()
    expect(sendings.map(({ id }) => id)).toEqual([first.id])
    ack(first.id, 'played')
    stored()
    expect(ends).toEqual([[first.id, 'done']])
    expect(sendings.map(({ id }) => id)).toEqual([first.id, second.id])
  })

  it('that does not report in time has it, and nobody knows more', () => {
    const { push, stored, ack, wind, sendings, resets, ends } = open(PLAYS)
    const [first, second] = [push('announce', 120_000), push('announce', 120_000)]
    stored()
    ack(first.id, 'received')
    wind(59_999)
    expect(ends).toEqual([])
    wind(1)
    stored()
    expect(ends).toEqual([[first.id, 'unproven']])
    expect(sendings.map(({ id }) => id)).toEqual([first.id, second.id])
    expect(resets).toEqual([])
  })
})

it('whatever happens to a box, each announcement is sent once and ends once, and one is under way', () => {
  const event = fc.oneof(
    fc.constantFrom<{ type: 'push'; kind: Kind }>(
      { type: 'push', kind: 'announce' },
      { type: 'push', kind: 'profile' },
    ),
    fc.constant({ type: 'stored' as const }),
    fc.record({
      type: fc.constant('ack' as const),
      which: fc.nat(10),
      stage: fc.constantFrom('received' as const, 'delivered' as const, 'played' as const),
    }),
    fc.record({ type: fc.constant('wind' as const), ms: fc.integer({ min: 1, max: 70_000 }) }),
    fc.record({ type: fc.constantFrom('begin' as const, 'hold' as const) }),
  )
  fc.assert(
    fc.property(fc.constantFrom(DELIVERS, PLAYS), fc.array(event, { maxLength: 60 }), (kind, events) => {
      const { session, rules, run, push, stored, ack, wind, sendings, ends } = open(kind)
      for (const one of events) {
        if (one.type === 'push') push(one.kind)
        else if (one.type === 'stored') stored()
        else if (one.type === 'ack') ack(`${one.which}`, one.stage)
        else if (one.type === 'wind') wind(one.ms)
        else run(one.type === 'begin' ? state.begin(session, rules) : state.hold(session, rules))
        const announcements = session.sent.filter(({ command }) => command.body.kind === 'announce')
        expect(announcements.length).toBeLessThanOrEqual(1)
        expect(new Set(sendings.map(({ id }) => id)).size).toBe(sendings.length)
        expect(new Set(ends.map(([id]) => id)).size).toBe(ends.length)
      }
    }),
  )
})
