import { describe, expect, it } from 'vitest'
import type { Noticed } from './parts/victim.ts'
import { brokenIn, type Compared } from './verdict.ts'

const MB = 1024 ** 2

function noticed(change: Partial<Noticed> = {}): Noticed {
  const times = Array.from({ length: 100 }, () => 8)
  const fared = { opened: 100, times, unanswered: new Map() }
  const newcomers = { callback: fared, health: fared, speaker: fared }
  const fine = { callback: times, socket: times, payments: 100, refused: new Map(), lost: 0, doubled: 0 }
  return {
    ...fine,
    wrong: [],
    cuts: 0,
    newcomers,
    downs: 0,
    machine: { processorMs: 0, flushMs: 0 },
    ...change,
  }
}

function compared(change: Partial<Compared> = {}): Compared {
  const memory = { rss: 100 * MB, heapUsed: 40 * MB, external: 5 * MB }
  const all = { before: memory, peak: 300 * MB, after: memory }
  return { calm: noticed(), under: noticed(), after: noticed(), memory: all, ...change }
}

const all = (ms: number) => Array.from({ length: 100 }, () => ms)
const keeping = (change: object) => {
  const { memory } = compared()
  return compared({ memory: { ...memory, after: { ...memory.after, ...change } } })
}

/** New connections of one kind, of which `answered` were answered within `ms`. */
const fared = (answered: number, ms = 8) => ({
  ...{ opened: 100, times: all(ms).slice(0, answered) },
  unanswered: answered < 100 ? new Map([['/healthz: ECONNRESET', 100 - answered]]) : new Map(),
})

describe('the verdict on an attack', () => {
  it('holds when the victim notices nothing', () => {
    expect(brokenIn(compared())).toEqual([])
  })

  it('takes a calm p99 as at least 20 ms', () => {
    expect(brokenIn(compared({ under: noticed({ callback: all(100) }) }))).toEqual([])
    expect(brokenIn(compared({ under: noticed({ callback: all(101) }) }))).toHaveLength(1)
  })

  it('allows five times the calm p99', () => {
    const calm = noticed({ socket: all(40) })
    expect(brokenIn(compared({ calm, under: noticed({ socket: all(200) }) }))).toEqual([])
    expect(brokenIn(compared({ calm, under: noticed({ socket: all(201) }) }))).toHaveLength(1)
  })

  it('adds what the machine makes everybody wait', () => {
    const machine = { processorMs: 10, flushMs: 40 }
    expect(brokenIn(compared({ under: noticed({ callback: all(150), machine }) }))).toEqual([])
    expect(brokenIn(compared({ under: noticed({ callback: all(151), machine }) }))).toHaveLength(1)
  })

  it('allows one of a hundred new connections without an answer, and a second for the others', () => {
    const newcomers = { health: fared(99, 1_000) }
    expect(brokenIn(compared({ under: noticed({ newcomers }) }))).toEqual([])
  })

  it('adds what the machine makes everybody wait to the second of a new connection', () => {
    const slow = (ms: number) =>
      noticed({ newcomers: { speaker: fared(100, ms) }, machine: { processorMs: 10, flushMs: 40 } })
    expect(brokenIn(compared({ under: slow(1_050) }))).toEqual([])
    expect(brokenIn(compared({ under: slow(1_051) }))).toHaveLength(1)
  })

  it('allows every callback a second under an attack that fills a table, and not after it', () => {
    const judged = (change: Partial<Compared>) => brokenIn(compared({ fillsTable: true, ...change }))
    expect(judged({ under: noticed({ callback: all(1_000) }) })).toEqual([])
    expect(judged({ under: noticed({ callback: all(1_001) }) })).toHaveLength(1)
    expect(judged({ after: noticed({ callback: all(101) }) })).toHaveLength(1)
  })

  it('judges no new connections where none were opened', () => {
    expect(brokenIn(compared({ under: noticed({ newcomers: {} }) }))).toEqual([])
  })

  it.each<[string, Compared, RegExp]>([
    ...(['callback', 'health', 'speaker'] as const).flatMap((kind): [string, Compared, RegExp][] => [
      [
        `two of a hundred new connections (${kind}) are not answered`,
        compared({ under: noticed({ newcomers: { [kind]: fared(98) } }) }),
        new RegExp(`2 of 100 new connections \\(${kind}\\) unanswered, such as: /healthz: ECONNRESET`),
      ],
      [
        `no new connection (${kind}) is answered`,
        compared({ under: noticed({ newcomers: { [kind]: fared(0) } }) }),
        /100 of 100 new connections/,
      ],
      [
        `new connections (${kind}) are answered late`,
        compared({ under: noticed({ newcomers: { [kind]: fared(100, 1_001) } }) }),
        new RegExp(`new ${kind} under attack 1001 ms, above 1000 ms`),
      ],
    ]),
    [
      'new connections are answered late after the attack',
      compared({ after: noticed({ newcomers: { health: fared(100, 1_001) } }) }),
      /new health after it/,
    ],
    ['the proxy takes the hub for dead', compared({ under: noticed({ downs: 1 }) }), /for dead 1 times/],
    [
      'the end of the attack does not end the delay',
      compared({ after: noticed({ callback: all(500) }) }),
      /after it/,
    ],
    [
      'one callback of many is refused',
      compared({ under: noticed({ refused: new Map([['503', 1]]) }) }),
      /refused/,
    ],
    ['a payment is lost', compared({ under: noticed({ lost: 1 }) }), /1 of 100 payments lost/],
    ['a payment is doubled', compared({ under: noticed({ doubled: 1 }) }), /doubled/],
    ['a payment is not stored as played', compared({ under: noticed({ wrong: ['FT1 is queued'] }) }), /FT1/],
    ['a speaker loses its connection', compared({ under: noticed({ cuts: 1 }) }), /connections 1 times/],
    ['live memory stays', keeping({ heapUsed: 70 * MB }), /live 45 → 75 MB/],
    ['resident memory stays', keeping({ rss: 190 * MB }), /resident 100 → 190 MB/],
  ])('breaks when %s', (_, result, sentence) => {
    expect(brokenIn(result)).toEqual([expect.stringMatching(sentence)])
  })
})
