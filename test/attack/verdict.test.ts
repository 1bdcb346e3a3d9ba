import { describe, expect, it } from 'vitest'
import type { Noticed } from './parts/victim.ts'
import { brokenIn, type Compared } from './verdict.ts'

const MB = 1024 ** 2

function noticed(change: Partial<Noticed> = {}): Noticed {
  const times = Array.from({ length: 100 }, () => 8)
  const fine = { callback: times, socket: times, payments: 100, refused: new Map(), lost: 0, doubled: 0 }
  return { ...fine, wrong: [], cuts: 0, machine: { processorMs: 0, flushMs: 0 }, ...change }
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

  it.each<[string, Compared, RegExp]>([
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
