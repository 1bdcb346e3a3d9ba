import { describe, expect, it } from 'vitest'
import { BOX_FAULTS, type BoxFault } from '../../../simulator/boxes/core/faults.ts'
import { BOX_KINDS, type BoxKind } from '../../../simulator/boxes/kinds.ts'
import { BoxBench } from './bench.ts'

/** A payment of 50,000 đồng in the words of each kind. */
const PAYMENT: Record<BoxKind, (id: string) => object> = {
  hemipay: (id) => ({ message_id: id, packet_type: 'payment', content: { play_payment_amount: 50_000 } }),
  'clip-numbers': (id) => ({ cmd: 'voice', playAudibleMsg: '119-105-111-116-120', orderId: id }),
  morefun: (id) => ({ broadcast_type: 1, money: '50000', request_id: id }),
  openluat: () => ({ money: '50000' }),
  ds50: (id) => ({ transType: '99', amount: '5000000', orderId: id }),
  alink: (id) => ({
    method: 'thing.service.SpeechBroadcast',
    params: { id, speechs: ['da-nhan', '5', 'muoi', 'nghin', 'dong'] },
  }),
}
const TEXT = 'Đã nhận năm mươi nghìn đồng'
const LONG_MS = 60_000

function benchWith(kind: BoxKind, ...faults: BoxFault[]): BoxBench {
  return new BoxBench(kind, {}, faults).online()
}

describe.each(BOX_KINDS)('%s', (kind) => {
  const payment = PAYMENT[kind]
  const knowsIds = kind === 'hemipay' || kind === 'alink' || kind === 'ds50'

  it('says a payment, confirms it, and says the next one after it', () => {
    const bench = benchWith(kind)
    expect(bench.hear(payment('1000000001'))).toBe(true)
    bench.wind(LONG_MS)
    expect(bench.hear(payment('1000000002'))).toBe(true)
    bench.wind(LONG_MS)
    expect(bench.heard).toEqual([TEXT, TEXT])
    expect(bench.linesOf('played')).toEqual([
      { event: 'played', n: 1 },
      { event: 'played', n: 2 },
    ])
    expect(bench.linesOf('announce').map(({ amount }) => amount)).toEqual(['50000', '50000'])
  })

  it(`says a repeat ${knowsIds ? 'once' : 'twice'}; with forgets-ids twice`, () => {
    for (const faults of [[], ['forgets-ids']] as const) {
      const bench = benchWith(kind, ...faults)
      for (let time = 0; time < 2; time += 1) {
        bench.hear(payment('1000000001'))
        bench.wind(LONG_MS)
      }
      expect(bench.heard).toHaveLength(knowsIds && faults.length === 0 ? 1 : 2)
    }
  })

  it('no-puback: says it and confirms nothing', () => {
    const bench = benchWith(kind, 'no-puback')
    expect(bench.hear(payment('1000000001'))).toBe(false)
    expect(bench.heard).toEqual([TEXT])
  })

  it('dies-before-reply: says it, gives no answer, and loses its power once', () => {
    const bench = benchWith(kind, 'dies-before-reply')
    const isConfirmed = bench.hear(payment('1000000001'))
    bench.wind(5_000)
    expect(bench.heard).toEqual([TEXT])
    expect(bench.published).toEqual([])
    // Where the PUBACK is the only answer, it does not leave.
    expect(isConfirmed).toBe(kind === 'hemipay' || kind === 'alink')
    expect(bench.effects.filter(({ type }) => type === 'die')).toHaveLength(1)
    expect(bench.state.faults).toEqual([])
  })

  it('stray-reply: every answer is to a message that nobody has sent', () => {
    const bench = benchWith(kind, 'stray-reply')
    bench.hear(payment('1000000001'))
    bench.wind(5_000)
    expect(bench.heard).toEqual([TEXT])
    expect(bench.published).not.toEqual([])
    for (const { body } of bench.published) {
      expect(JSON.stringify(body)).toContain('9999999999')
      expect(JSON.stringify(body)).not.toContain('1000000001')
    }
  })

  it(`${kind === 'ds50' ? 'even without' : 'only with'} busy-drops it drops what comes while it speaks`, () => {
    for (const faults of [[], ['busy-drops']] as const) {
      const bench = benchWith(kind, ...faults)
      expect(bench.hear(payment('1000000001'))).toBe(true)
      expect(bench.hear(payment('1000000002'))).toBe(true)
      bench.wind(LONG_MS)
      const drops = kind === 'ds50' || faults.length > 0
      expect(bench.heard).toHaveLength(drops ? 1 : 2)
      expect(bench.linesOf('dropped')).toEqual(drops ? [{ event: 'dropped', reason: 'busy' }] : [])
    }
  })

  it('qos0 and wrong-topic: subscribes so', () => {
    const subscribed = (...faults: BoxFault[]) => {
      const bench = new BoxBench(kind, {}, faults)
      return bench.act({ type: 'connected' }).find(({ type }) => type === 'subscribe')
    }
    const right = Object(subscribed())
    expect(right.qos).toBe(1)
    expect(subscribed('qos0')).toEqual({ ...right, qos: 0 })
    expect(subscribed('wrong-topic')).toEqual({ ...right, topic: `${right.topic}/wrong` })
  })

  it('tells of each fault once', () => {
    const bench = benchWith(kind)
    for (const fault of BOX_FAULTS)
      for (const on of [true, true, false, false]) bench.act({ type: 'fault', fault, on })
    expect(bench.lines).toEqual(
      BOX_FAULTS.flatMap((fault) => [true, false].map((on) => ({ event: 'fault', fault, on }))),
    )
  })
})

describe('the ids that a box keeps', () => {
  it('alink: after a missing clip a repeat is a duplicate', () => {
    const bench = benchWith('alink')
    const broken = {
      method: 'thing.service.SpeechBroadcast',
      params: { id: 'S1', speechs: ['da-nhan', 'yuan'] },
    }
    bench.hear(broken)
    bench.hear(PAYMENT.alink('S1'))
    expect(bench.heard).toEqual([])
    expect(bench.published.map(({ topic, body }) => [topic, body.data])).toEqual([
      [
        '/sys/pk/BOX-0001/thing/service/SpeechBroadcast_reply',
        { result: 2, error_message: 'speechs file not found', task_id: 'S1' },
      ],
      [
        '/sys/pk/BOX-0001/thing/service/SpeechBroadcast_reply',
        { result: 1, error_message: 'duplicate speechbroad id', task_id: 'S1' },
      ],
    ])
  })

  it('alink: answers when the sound has ended', () => {
    const bench = benchWith('alink')
    bench.hear(PAYMENT.alink('S1'))
    bench.wind(1_000)
    expect(bench.published).toEqual([])
    bench.wind(1_000)
    expect(bench.published.map(({ body }) => body.data)).toEqual([
      { result: 0, error_message: 'success', task_id: 'S1' },
    ])
  })

  it('alink: the queue of ten drops without an answer, and keeps the id', () => {
    const bench = benchWith('alink')
    for (let count = 1; count <= 12; count += 1) bench.hear(PAYMENT.alink(`S${count}`))
    expect(bench.linesOf('dropped')).toEqual([{ event: 'dropped', reason: 'queue_full' }])
    bench.wind(LONG_MS)
    expect(bench.heard).toHaveLength(11)
    bench.hear(PAYMENT.alink('S12'))
    expect(bench.linesOf('repeat')).toEqual([{ event: 'repeat', id: 'S12' }])
  })

  it('alink: the ring has fifteen ids', () => {
    const bench = benchWith('alink')
    for (let count = 1; count <= 16; count += 1) {
      bench.hear(PAYMENT.alink(`S${count}`))
      bench.wind(5_000)
    }
    bench.hear(PAYMENT.alink('S2'))
    bench.hear(PAYMENT.alink('S1'))
    expect(bench.heard).toHaveLength(17)
  })

  it('ds50: keeps one id, also of what it drops', () => {
    const bench = benchWith('ds50')
    bench.hear(PAYMENT.ds50('1'))
    bench.hear(PAYMENT.ds50('2'))
    bench.wind(LONG_MS)
    bench.hear(PAYMENT.ds50('2'))
    expect(bench.heard).toHaveLength(1)
    bench.hear(PAYMENT.ds50('1'))
    expect(bench.heard).toHaveLength(2)
  })
})

describe('the buffers', () => {
  const text = (bytes: number) => 'x'.repeat(bytes)
  it.each([
    {
      about: 'a text of 255 bytes',
      body: { broadcast_type: 10, money: '1', ttstext: text(255) },
      says: true,
    },
    {
      about: 'a text of 256 bytes',
      body: { broadcast_type: 10, money: '1', ttstext: text(256) },
      says: false,
    },
    {
      about: '128 letters of two bytes',
      body: { broadcast_type: 10, money: '1', ttstext: 'đ'.repeat(128) },
      says: false,
    },
    { about: 'a text without money', body: { broadcast_type: 10, ttstext: 'x' }, says: false },
    {
      about: 'more than 1,024 bytes in all',
      body: { broadcast_type: 1, money: '1', a: text(250), b: text(250), c: text(250), d: text(250) },
      says: false,
    },
  ])('morefun: $about', ({ body, says }) => {
    const bench = benchWith('morefun')
    bench.hear(body)
    expect(bench.heard).toHaveLength(says ? 1 : 0)
  })

  it.each([
    { order_sn: text(255), money: '1', shows: true },
    { order_sn: text(256), money: '1', shows: false },
    { order_sn: '048213', money: '0', shows: false },
  ])('morefun: an order of $order_sn.length bytes with money $money', ({ shows, ...body }) => {
    const bench = benchWith('morefun')
    bench.hear(body)
    expect(bench.linesOf('qr')).toHaveLength(shows ? 1 : 0)
    expect(bench.heard).toEqual([])
  })

  it('ds50: twelve digits of hundredths', () => {
    const bench = benchWith('ds50')
    bench.hear({ transType: '99', amount: '1234567890123', orderId: '1' })
    expect(bench.heard).toEqual([])
    bench.hear({ transType: '99', amount: '123456789000', orderId: '2' })
    expect(bench.linesOf('announce')[0]?.amount).toBe('1234567890')
  })

  it('clip-numbers: the display has eight digits, and the sound does not suffer', () => {
    const bench = benchWith('clip-numbers')
    bench.hear({ cmd: 'voice', playAudibleMsg: '119-101-120', amount: '100000000' })
    expect(bench.state.digits).toBe('')
    expect(bench.heard).toEqual(['Đã nhận một đồng'])
    expect(bench.linesOf('ignored')).toHaveLength(1)
  })
})

describe('a code', () => {
  const DIGITS = '100-104-108-102-101-103'
  it('clip-numbers: is spoken', () => {
    const bench = benchWith('clip-numbers')
    bench.hear({ cmd: 'voice', playAudibleMsg: `${DIGITS}-${DIGITS}` })
    expect(bench.linesOf('code')).toEqual([{ event: 'code', code: '048213', how: 'spoken' }])
  })

  it('morefun: is a QR', () => {
    const bench = benchWith('morefun')
    bench.hear({ order_sn: '048213', money: '1' })
    expect(bench.linesOf('code')).toEqual([{ event: 'code', code: '048213', how: 'qr' }])
  })

  it('alink: is spoken', () => {
    const bench = benchWith('alink')
    bench.hear({ method: 'thing.service.SpeechBroadcast', params: { id: 'S', speechs: [...'048213'] } })
    expect(bench.linesOf('code')).toEqual([{ event: 'code', code: '048213', how: 'spoken' }])
  })
})
