import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as state from '../../../../server/delivery/session/state.ts'
import { BODIES, type Kind, open, TTL_MS } from './open.ts'

describe('a command', () => {
  it.each(['played', 'failed'] as const)('is not sent again once it has %s', (stage) => {
    const { push, stored, ack, wind, sendings, timers } = open()
    const { id } = push('announce')
    stored()
    wind(3_000)
    ack(id, stage)
    wind(40_000)
    expect(sendings.map(({ at }) => at)).toEqual([0, 3_000])
    expect(timers.size).toBe(0)
  })

  it('is sent again although it was received, because it was not yet played', () => {
    const { push, stored, ack, wind, sendings, phases } = open()
    const { id } = push('announce')
    stored()
    ack(id, 'received')
    wind(3_000)
    expect(phases()).toEqual(['received'])
    expect(sendings.map(({ at }) => at)).toEqual([0, 3_000])
  })

  it('is never sent after its time', () => {
    const { push, stored, ack, wind, sendings } = open()
    const { id } = push('announce', 10_000)
    stored()
    ack(id, 'received')
    wind(60_000)
    expect(sendings.map(({ at, ttl }) => [at, ttl])).toEqual([
      [0, 10_000],
      [3_000, 7_000],
      [6_000, 4_000],
    ])
  })

  it('is not sent at all when its turn comes too late', () => {
    const { push, stored, wind, sendings, ends } = open()
    const first = push('announce')
    const second = push('announce')
    stored()
    wind(TTL_MS)
    stored()
    expect(new Set(sendings.map(({ id }) => id))).toEqual(new Set([first.id]))
    // A silent device blocks the announcement behind the first one until it expires, too.
    expect(ends).toEqual([
      [first.id, 'unheard'],
      [second.id, 'dropped'],
    ])
  })

  it('of which the device may still answer the last sending is not taken for unheard', () => {
    const { push, stored, wind, ends } = open()
    const { id } = push('announce', 4_000)
    stored()
    wind(14_999)
    expect(ends).toEqual([])
    wind(1)
    expect(ends).toEqual([[id, 'dropped']])
  })

  it('whose time runs out while it is being stored is dropped at once', () => {
    const { push, stored, wind, sendings, ends } = open()
    const { id } = push('announce', 4_000)
    wind(3_001)
    stored()
    expect(sendings).toEqual([])
    expect(ends).toEqual([[id, 'dropped']])
  })

  it('is not checked while an ack of it is being stored: that ack may have ended it', () => {
    const { session, rules, push, stored } = open()
    const { id } = push('announce')
    stored()
    state.ackArrived(session, { commandId: id, commandNumber: 1, stage: 'played', reason: undefined })
    const effects = session.sent.flatMap((sent) => state.timeOver(session, sent, rules))
    expect(effects).toMatchObject([{ type: 'wait', ms: 6_000 }])
  })

  it('is not sent again while that can not be checked, and is dropped when it has ended elsewhere', () => {
    const { session, rules, push, stored, run, sendings, ends } = open()
    const { id } = push('announce')
    stored()
    for (const isValid of [undefined, false])
      run(session.sent.flatMap((sent) => state.checked(session, sent, isValid, rules)))
    expect(sendings).toHaveLength(1)
    expect(ends).toEqual([[id, 'dropped']])
  })

  it('that is being stored is replaced by a newer one of its slot, and its number stays unused', () => {
    const { push, stored, sendings, ends, phases } = open()
    const [older, newer] = [push('profile'), push('profile')]
    expect(ends).toEqual([[older.id, 'dropped']])
    expect(phases()).toEqual(['storing'])
    stored()
    expect(sendings.map(({ id }) => id)).toEqual([newer.id])
  })
})

const event = fc.oneof(
  fc.record({
    type: fc.constant('push' as const),
    kind: fc.constantFrom(...(Object.keys(BODIES) as Kind[])),
  }),
  fc.record({ type: fc.constant('stored' as const), maySend: fc.boolean() }),
  fc.record({
    type: fc.constant('ack' as const),
    which: fc.nat(20),
    stage: fc.constantFrom('received' as const, 'shown' as const, 'played' as const, 'failed' as const),
  }),
  fc.record({ type: fc.constant('wind' as const), ms: fc.integer({ min: 1, max: 70_000 }) }),
  fc.record({ type: fc.constantFrom('begin' as const, 'hold' as const, 'withdraw' as const) }),
)

it('whatever happens, one command blocks the queue, one announcement is open, and each command ends once', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const { session, rules, run, push, stored, ack, wind, ends, timers, phases } = open()
      let pushed = 0
      for (const one of events) {
        if (one.type === 'push') pushed = Number(push(one.kind).id)
        else if (one.type === 'stored') stored(one.maySend)
        else if (one.type === 'ack') ack(`${one.which}`, one.stage)
        else if (one.type === 'wind') wind(one.ms)
        else if (one.type === 'withdraw')
          run(state.withdraw(session, ({ body }) => body.kind === 'announce', rules))
        else run(one.type === 'begin' ? state.begin(session, rules) : state.hold(session, rules))
        const blocking = phases().filter((phase) => phase === 'storing' || phase === 'unanswered')
        expect(blocking.length).toBeLessThanOrEqual(1)
        const announcements = session.sent.filter(({ command }) => command.body.kind === 'announce')
        expect(announcements.filter(({ phase }) => phase !== 'received').length).toBeLessThanOrEqual(1)
        const awaited = session.sent.filter(({ phase }) => phase !== 'storing')
        expect(new Set(timers.keys())).toEqual(new Set(awaited))
      }
      run(state.end(session))
      expect(ends.map(([id]) => Number(id)).sort((a, b) => a - b)).toEqual(
        Array.from({ length: pushed }, (_, index) => index + 1),
      )
      expect(timers.size).toBe(0)
    }),
  )
})
