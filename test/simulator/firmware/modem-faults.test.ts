import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Faults } from '../../../simulator/firmware/modem/faults.ts'
import { ModemBench, shown } from './modem-bench.ts'

it('delays each way by its time, and keeps the order', () => {
  const bench = new ModemBench().connected()
  bench.modem.set({ upMs: 500, downMs: 200 })
  bench.say('AT+QISEND=0,2', 10)
  expect(bench.sendRaw('hi', 400)).toBe('/SEND OK/')
  expect(bench.hub.got.length).toBe(0)
  expect(bench.say('AT+QISEND=0,0', 10)).toBe('/+QISEND: 2,0,2//OK/')
  bench.wait(100)
  expect(bench.hub.got.toString()).toBe('hi')
  bench.output()
  bench.hub.tell.received(Buffer.from('a'))
  bench.modem.set({ downMs: 0 })
  bench.hub.tell.received(Buffer.from('b'))
  bench.wait(199)
  expect(shown(bench.output())).toBe('')
  bench.wait(1)
  expect(bench.say('AT+QIRD=0')).toBe('/+QIRD: 2/ab//OK/')
})

it('loses at a reset what is under way', () => {
  const bench = new ModemBench().connected()
  bench.modem.set({ upMs: 500, downMs: 500 })
  bench.say('AT+QISEND=0,2', 10)
  bench.sendRaw('hi', 10)
  bench.hub.tell.received(Buffer.from('late'))
  bench.modem.reset()
  bench.wait(5_000)
  expect(bench.hub.got.length).toBe(0)
  expect(shown(bench.output())).not.toContain('recv')
})

it('lets segments arrive in bursts', () => {
  const bench = new ModemBench().connected()
  bench.modem.set({ burstMs: 1_000 })
  bench.output()
  for (const text of ['a', 'b']) {
    bench.hub.tell.received(Buffer.from(text))
    bench.wait(10)
  }
  expect(shown(bench.output())).toBe('')
  bench.wait(1_000)
  expect(shown(bench.output())).toBe('/+QIURC: "recv",0/')
})

it.each([{ silence: true }, { registration: 2 as const }])('tells nobody about %o', (fault) => {
  const bench = new ModemBench().connected()
  bench.output()
  bench.modem.set(fault)
  bench.hub.tell.received(Buffer.from('late'))
  bench.hub.tell.closed()
  bench.say('AT+QISEND=0,2')
  expect(bench.sendRaw('hi')).toBe('/SEND OK/')
  bench.say('AT+QICLOSE=0')
  expect(bench.hub).toMatchObject({ end: 'none', got: Buffer.alloc(0) })
  bench.modem.set({ silence: false, registration: 1 })
  expect(bench.hub).toMatchObject({ end: 'fin', got: Buffer.from('hi') })
})

it('fills its buffer while nothing passes, and then refuses to send', () => {
  const bench = new ModemBench().connected()
  bench.modem.set({ silence: true })
  const answers = Array.from({ length: 8 }, () => {
    bench.say('AT+QISEND=0,1460')
    return bench.sendRaw(new Uint8Array(1_460))
  })
  expect(answers).toEqual([...Array(7).fill('/SEND OK/'), '/SEND FAIL/'])
})

it('carries out a command whose answer is lost', () => {
  const bench = new ModemBench().connected()
  bench.hub.tell.received(Buffer.from('abc'))
  bench.modem.set({ lostAnswers: 1 })
  expect(bench.say('AT+QIRD=0')).toBe('')
  expect(bench.say('AT+QIRD=0')).toBe('/+QIRD: 0//OK/')
})

it('waits for data without a prompt', () => {
  const bench = new ModemBench().connected()
  bench.modem.set({ lostPrompts: 1 })
  expect(bench.say('AT+QISEND=0,4')).toBe('')
  expect(bench.say('AT')).toBe('/SEND OK/')
  expect(bench.hub.got.toString()).toBe('AT\r\n')
})

it('fails to send, loses bytes, and announces nothing', () => {
  const bench = new ModemBench().connected()
  bench.modem.set({ sendFails: 1 })
  bench.say('AT+QISEND=0,2')
  expect(bench.sendRaw('hi')).toBe('/SEND FAIL/')
  expect(bench.hub.got.length).toBe(0)
  bench.modem.set({ lostDown: 3 })
  expect(bench.say('AT')).toBe('K/')
  bench.modem.set({ lostUp: 1 })
  expect(bench.say('AAT')).toBe('/OK/')
  bench.modem.set({ unannounced: true })
  bench.hub.tell.received(Buffer.from('abc'))
  expect(shown(bench.output())).toBe('')
  expect(bench.say('AT+QIRD=0')).toBe('/+QIRD: 3/abc//OK/')
})

const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 })
/** What only delays: nothing may be lost or changed. */
const delays: fc.Arbitrary<Partial<Faults>> = fc.record(
  {
    upMs: fc.integer({ min: 0, max: 3_000 }),
    downMs: fc.integer({ min: 0, max: 3_000 }),
    burstMs: fc.constantFrom(0, 700),
    silence: fc.boolean(),
    unannounced: fc.boolean(),
  },
  { requiredKeys: [] },
)
const step = fc.oneof(
  fc.record({ do: fc.constant('up' as const), bytes }),
  fc.record({ do: fc.constant('down' as const), bytes }),
  fc.record({ do: fc.constant('read' as const), most: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ do: fc.constant('fault' as const), faults: delays }),
)

/** Reads as a host must: by the length, whatever the bytes are. */
function read(bench: ModemBench, most: number): Buffer {
  bench.output()
  bench.modem.receive(Buffer.from(`AT+QIRD=0,${most}\r\n`))
  bench.wait(10)
  const answer = bench.output()
  const head = /\+QIRD: (\d+)\r\n/.exec(answer.toString('latin1'))
  if (!head) throw new Error(`no answer to QIRD: ${answer.toString('latin1')}`)
  const from = head.index + head[0].length
  return answer.subarray(from, from + Number(head[1]))
}

it('carries every byte in order, however slow its line is', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const bench = new ModemBench().connected()
      const sent: Uint8Array[] = []
      const came: Uint8Array[] = []
      const got: Uint8Array[] = []
      for (const it of steps) {
        if (it.do === 'fault') bench.modem.set(it.faults)
        else if (it.do === 'read') got.push(read(bench, it.most))
        else if (it.do === 'down') {
          bench.hub.tell.received(it.bytes)
          came.push(it.bytes)
        } else {
          bench.say(`AT+QISEND=0,${it.bytes.length}`, 10)
          if (bench.sendRaw(it.bytes, 10).includes('SEND OK')) sent.push(it.bytes)
        }
      }
      bench.modem.set({ silence: false })
      bench.wait(5_000)
      for (let rest = read(bench, 1_500); rest.length > 0; rest = read(bench, 1_500)) got.push(rest)
      expect(bench.hub.got).toEqual(Buffer.concat(sent))
      expect(Buffer.concat(got)).toEqual(Buffer.concat(came))
      expect(bench.mistakes).toEqual([])
    }),
  )
})

it('is understood again after a reset, whatever it was sent', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(bytes, fc.constantFrom('AT+QISEND=0,9\r', 'AT\r', '\r', 'AT+')), { maxLength: 20 }),
      (parts) => {
        const bench = new ModemBench().connected()
        for (const part of parts) bench.sendRaw(part, 3)
        bench.modem.reset()
        bench.wait(5_000)
        expect(bench.say('AT')).toBe('AT\r/OK/')
      },
    ),
  )
})
