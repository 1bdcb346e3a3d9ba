import { describe, expect, it } from 'vitest'
import { acksIn, DeviceBench, spokenIn } from '../../support/device-bench.ts'

const SENTENCE_MS = 10_000
const SOON = { ttl: 0 }

/** 5 sounds; 6, whose time is nearly over, and 7 wait. */
function busy() {
  const bench = new DeviceBench()
  bench.connect()
  bench.announce('1234567', { n: 5 })
  bench.announce('2000', { n: 6, ...SOON })
  bench.announce('3000', { n: 7 })
  return bench
}

describe('a received announcement that is given up', () => {
  it('holds up the next one until the hub has stored it (sb/1 7.19)', () => {
    const bench = busy()
    bench.storeAcks()
    const ended = bench.wind(SENTENCE_MS)
    expect(acksIn(ended)).toEqual([
      { n: 5, st: 'played' },
      { n: 6, st: 'failed', rc: 'expired' },
    ])
    expect([spokenIn(ended), bench.stored.played]).toEqual([[], 5])
    expect(spokenIn(bench.storeAcks())).toEqual([7])
  })

  it('holds up nothing by an ack that is of another one', () => {
    const bench = busy()
    const played =
      bench.wind(SENTENCE_MS).length > 0 && bench.state.pendingAcks.find(({ body }) => body.n === 5)
    if (!played) return expect.fail('5 was not played')
    expect(spokenIn(bench.event({ type: 'ack_stored', token: played.token }))).toEqual([])
  })

  it('holds up what waits until the next session when the connection is lost', () => {
    const bench = busy()
    bench.lose()
    expect(spokenIn(bench.wind(SENTENCE_MS))).toEqual([])
    bench.connect()
    expect(bench.state.queue).toEqual([])
    bench.announce('3000', { n: 7 })
    expect(spokenIn(bench.storeAcks())).toEqual([7])
  })
})

describe('an announcement that was refused at its arrival', () => {
  it('holds up nothing: the hub has never heard that it was received', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 5, at: bench.hubNow - 500 })
    expect(spokenIn(bench.announce('2000', { n: 6 }))).toEqual([6])
  })
})

describe('a birth (sb/1 7.20)', () => {
  it('forgets what waits, with its acks: the hub sends it again', () => {
    const bench = busy()
    bench.lose()
    expect(acksIn(bench.connect())).toEqual([{ n: 8, st: 'received' }])
    expect(spokenIn(bench.wind(SENTENCE_MS))).toEqual([])
    expect(acksIn(bench.announce('3000', { n: 7 }))).toEqual([{ n: 7, st: 'received' }])
    expect(bench.stored.played).toBe(7)
  })

  it('lets the sound go on, and starts nothing behind it before the welcome', () => {
    const bench = busy()
    bench.lose()
    bench.open()
    expect(spokenIn(bench.wind(SENTENCE_MS))).toEqual([])
    expect(bench.state.pendingAcks.map(({ body }) => [body.n, body.st])).toEqual([[5, 'played']])
  })

  it('is not there offline: what waits is spoken', () => {
    const bench = new DeviceBench()
    bench.connect()
    bench.announce('1000', { n: 5 })
    bench.announce('2000', { n: 6 })
    bench.lose()
    expect(spokenIn(bench.wind(SENTENCE_MS))).toEqual([6])
  })
})
