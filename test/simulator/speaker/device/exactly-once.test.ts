import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ack } from '../../../../protocol/messages/ack.ts'
import type { Effect } from '../../../../simulator/speaker/device/state/effects.ts'
import { DeviceBench, spokenIn } from '../../support/device-bench.ts'

type Act =
  | { act: 'announce'; ttl: number }
  | { act: 'repeat'; which: number; fresh: boolean }
  | { act: 'powerCut' }
  | { act: 'lose' }
  | { act: 'connect' }
  | { act: 'wind'; ms: number }
  | { act: 'store' }

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ act: fc.constant('announce' as const), ttl: fc.nat(20) }) },
    {
      weight: 4,
      arbitrary: fc.record({ act: fc.constant('repeat' as const), which: fc.nat(40), fresh: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.constant({ act: 'powerCut' as const }) },
    { weight: 1, arbitrary: fc.constant({ act: 'lose' as const }) },
    { weight: 3, arbitrary: fc.constant({ act: 'connect' as const }) },
    { weight: 4, arbitrary: fc.record({ act: fc.constant('wind' as const), ms: fc.nat(8_000) }) },
    { weight: 1, arbitrary: fc.constant({ act: 'store' as const }) },
  ),
  { maxLength: 60 },
)

/** A hub without any guarantees, and its messages. */
interface World {
  bench: DeviceBench
  sent: { n: number; at: number; ttl: number }[]
}

function perform({ bench, sent }: World, act: Act): Effect[] {
  switch (act.act) {
    case 'announce': {
      const order = { n: 1_000 + sent.length, at: bench.hubNow, ttl: act.ttl }
      sent.push(order)
      return bench.announce('50000', order)
    }
    case 'repeat': {
      const order = sent[act.which % Math.max(1, sent.length)]
      if (!order) return []
      return bench.announce('50000', { ...order, ...(act.fresh ? { at: bench.hubNow } : {}) })
    }
    case 'powerCut':
      bench.powerCut()
      return []
    case 'lose':
      return bench.lose()
    case 'connect':
      return bench.connect()
    case 'wind':
      return bench.wind(act.ms)
    case 'store':
      return bench.storeAcks()
  }
}

function play(script: Act[]): Effect[] {
  const world: World = { bench: new DeviceBench(), sent: [] }
  world.bench.connect()
  for (const act of script) perform(world, act)
  return world.bench.effects
}

describe('for any hub messages and any power cuts', () => {
  it('sb/1 7.5: no announcement is spoken twice, and none below a spoken number', () => {
    fc.assert(
      fc.property(acts, (script) => {
        const spoken = spokenIn(play(script))
        expect(spoken).toEqual([...new Set(spoken)].sort((a, b) => a - b))
      }),
      { numRuns: 300 },
    )
  })

  it('sb/1 7.5, sb/1 12.2: an announcement is persisted as played before its sound', () => {
    fc.assert(
      fc.property(acts, (script) => {
        let played = 0
        for (const effect of play(script)) {
          if (effect.type === 'persist') {
            expect(effect.memory.played).toBeGreaterThanOrEqual(played)
            played = effect.memory.played
          }
          if (effect.type === 'emit' && effect.event.event === 'announce') expect(effect.event.n).toBe(played)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('sb/1 7.4: acks are well-formed, and played is sent only for spoken announcements', () => {
    fc.assert(
      fc.property(acts, (script) => {
        const spoken = new Set<number>()
        for (const effect of play(script)) {
          if (effect.type === 'emit' && effect.event.event === 'announce') spoken.add(effect.event.n)
          if (effect.type !== 'publish' || effect.message.kind !== 'ack') continue
          const body = ack.parse(effect.message.body)
          expect(body.st === 'failed').toBe(body.rc !== undefined)
          if (body.st === 'played') expect([...spoken].some((n) => n >= body.n)).toBe(true)
          if (body.st === 'played' && !body.dup) expect(spoken).toContain(body.n)
        }
      }),
      { numRuns: 300 },
    )
  })
})
