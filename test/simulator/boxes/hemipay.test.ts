import { describe, expect, it } from 'vitest'
import { BoxBench, START_MS } from './bench.ts'

let ids = 1_000_000_000
function nextId(): string {
  ids += 1
  return String(ids)
}

function packet(packet_type: string, content: object, message_id = nextId()) {
  return { message_id, time_stamp: '1763678400', device_sn: 'BOX-0001', packet_type, content }
}

const qr = (txt = '0002') => ({ wait_payment_screen_qrcode_1_config: { txt, x: 1, y: 1, hei: 180 } })
const label = (txt: string) => ({ wait_payment_screen_label_3_config: { txt, x: 1, hei: 24 } })
function wait(order_id: string, screen_content_config: object = qr(), amount_due = 50_000) {
  return packet('wait_payment', { amount_due, order_id, payment_timeout: 60, screen_content_config })
}
const pay = (play_payment_amount: number, order_id?: string) =>
  packet('payment', { play_payment_amount, ...(order_id === undefined ? {} : { order_id }) })

const online = (config = {}) => new BoxBench('hemipay', config).online()
const answers = (bench: BoxBench) =>
  bench.published.map(({ body }) => [body.packet_type, body.message_id, Object(body.content).response_status])

describe('the messages of the box itself', () => {
  it('reports itself and beats every minute with a new id', () => {
    const bench = new BoxBench('hemipay')
    bench.act({ type: 'connected' })
    bench.act({ type: 'subscribed' })
    bench.wind(120_000)
    const [info, ...beats] = bench.published
    expect(info).toMatchObject({
      topic: 'BOX-0001/pubmsg',
      body: {
        time_stamp: String(START_MS / 1000),
        device_sn: 'BOX-0001',
        packet_type: 'device_info',
        content: { battery_percent: 87, signal_value: -61, '4g_fw_version': expect.any(String) },
      },
    })
    const requests = beats.map(({ body }) => body.re_request_id)
    expect(requests).toHaveLength(3)
    const all = [...requests, ...bench.published.map(({ body }) => body.message_id)]
    expect(new Set(all).size).toBe(all.length)
    for (const id of all) expect(id).toMatch(/^\d{10}$/)
  })

  it('says nothing about the answer to a heartbeat', () => {
    const bench = online()
    bench.hear({ ...packet('rsp_heartbeat', { response_status: 'success' }), re_request_id: '1' })
    expect(bench.effects).toEqual([])
  })

  it('answers commands with their id, and reports a sound only when it is set up so', () => {
    for (const playReport of [undefined, 'play_end']) {
      const bench = online({ playReport })
      bench.hear(packet('payment', { play_payment_amount: 1 }, '5392000001'))
      bench.wind(10_000)
      expect(answers(bench)[0]).toEqual(['rsp_payment', '5392000001', 'success'])
      const reports = bench.published.filter(({ body }) => body.packet_type === 'play_report')
      expect(reports.map(({ body }) => [body.message_id, body.content])).toEqual(
        playReport === undefined ? [] : [['5392000001', { play_status: 'play_end' }]],
      )
    }
  })

  it.each([
    { about: 'another currency', content: { play_payment_amount: 160, currency_type: 'USD' } },
    { about: 'an amount as text', content: { play_payment_amount: '160' } },
    { about: 'a negative amount', content: { play_payment_amount: -1 } },
  ])('does not say $about', ({ content }) => {
    const bench = online()
    bench.hear(packet('payment', content))
    expect(bench.heard).toEqual([])
    expect(bench.linesOf('ignored')).toHaveLength(1)
  })

  it('does not hear what is for another box', () => {
    const bench = online()
    bench.hear({ ...pay(1), device_sn: 'BOX-0002' })
    expect(bench.heard).toEqual([])
  })
})

describe('a bill on its screen', () => {
  it('is closed by its payment, and by no other', () => {
    const bench = online()
    bench.hear(wait('B1'))
    bench.hear(pay(20_000, 'B2'))
    expect(bench.state.screen).toMatchObject({ screen: 'qr', bill: 'B1' })
    bench.hear(pay(50_000, 'B1'))
    expect(bench.linesOf('cleared')).toEqual([{ event: 'cleared', what: 'qr', why: 'paid' }])
    expect(bench.state.screen).toMatchObject({ screen: 'amount', amount: '50000' })
    bench.wind(10_000)
    expect(bench.heard).toHaveLength(2)
    expect(bench.state.screen).toEqual({ screen: 'home' })
  })

  it('goes at its end', () => {
    const bench = online()
    bench.hear(wait('B1'))
    bench.wind(59_999)
    expect(bench.linesOf('cleared')).toEqual([])
    bench.wind(1)
    expect(bench.linesOf('cleared')).toEqual([{ event: 'cleared', what: 'qr', why: 'expired' }])
  })

  it('is dismissed by the amount 0, without a sound', () => {
    const bench = online()
    bench.hear(wait('B1'))
    bench.hear(pay(0, 'X'))
    expect(bench.linesOf('cleared')).toEqual([{ event: 'cleared', what: 'qr', why: 'dismissed' }])
    bench.hear(pay(0))
    expect(bench.heard).toEqual([])
  })

  it('replaces the one before', () => {
    const bench = online()
    bench.hear(wait('B1'))
    bench.hear(wait('B2'))
    expect(bench.linesOf('cleared')).toEqual([{ event: 'cleared', what: 'qr', why: 'replaced' }])
    expect(bench.linesOf('qr').map(({ bill }) => bill)).toEqual(['B1', 'B2'])
  })

  it('fails when its QR is too high', () => {
    const bench = online()
    bench.hear(wait('B1', { wait_payment_screen_qrcode_1_config: { txt: '0002', hei: 211 } }))
    expect(bench.linesOf('qr')).toEqual([])
    expect(answers(bench)[0]?.[2]).toBe('fail')
  })

  it('a label with six digits and no QR is a code', () => {
    const bench = online()
    bench.hear(wait('V1', label('Ma: 048213'), 0))
    expect(bench.lines).toEqual([{ event: 'code', code: '048213', how: 'screen' }])
    bench.wind(60_000)
    expect(bench.linesOf('cleared')).toEqual([{ event: 'cleared', what: 'code', why: 'expired' }])
  })
})

describe('the keypad', () => {
  const asked = (config = {}) => {
    const bench = online(config)
    bench.keys('5', '000', '0', 'back', '0', 'enter')
    const id = String(bench.published[0]?.body.message_id)
    return { bench, id }
  }
  const answer = (id: string, response_status = 'success') =>
    packet('rsp_request_payment', { response_status }, id)

  it('asks for a bill', () => {
    const { bench, id } = asked()
    expect(bench.published).toMatchObject([
      { topic: 'BOX-0001/pubmsg', body: { packet_type: 'request_payment', content: { amount_due: 50_000 } } },
    ])
    expect(bench.lines).toEqual([{ event: 'keyed', id, amount: '50000' }])
  })

  it('shows the bill after an answer with the same id', () => {
    const { bench, id } = asked()
    bench.hear(answer(id))
    bench.hear(wait('K1'))
    expect(bench.linesOf('answered')).toEqual([{ event: 'answered', id, ok: true }])
    expect(bench.state.screen).toMatchObject({ screen: 'qr', bill: 'K1' })
    expect(bench.state.keypad).toEqual({ typed: '' })
  })

  it('stays on connecting without the answer, with another id, and with the answer alone', () => {
    const { bench, id } = asked()
    bench.hear(wait('K1'))
    bench.hear(answer('9999999999'))
    expect(bench.linesOf('qr')).toEqual([])
    expect(bench.state.keypad.asked).toMatchObject({ id, answered: false })
    bench.hear(answer(id))
    bench.wind(600_000)
    expect(bench.state.keypad.asked).toMatchObject({ id, answered: true })
    bench.keys('1', 'enter')
    expect(bench.linesOf('keyed')).toHaveLength(1)
    bench.keys('clear', '1', 'enter')
    expect(bench.linesOf('keyed')).toHaveLength(2)
  })

  it('a refusal leads back to the digits', () => {
    const { bench, id } = asked()
    bench.hear(answer(id, 'fail'))
    expect(bench.linesOf('answered')).toEqual([{ event: 'answered', id, ok: false }])
    expect(bench.state.keypad).toEqual({ typed: '' })
  })

  it('sends nothing without a line, without digits, or with more than ten', () => {
    const bench = online()
    bench.keys('enter', '0', 'enter')
    bench.keys(...'12345678901')
    expect(bench.state.keypad.typed).toBe('1234567890')
    bench.act({ type: 'closed', reason: 'x', retryInMs: undefined })
    bench.keys('enter')
    expect(bench.published).toEqual([])
  })
})
