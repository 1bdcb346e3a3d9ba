import { createServer } from 'node:net'
import { Aedes } from 'aedes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Box } from '../../../simulator/boxes/box.ts'
import type { BoxFault } from '../../../simulator/boxes/core/faults.ts'
import { boxLine } from '../../../simulator/boxes/core/lines.ts'
import { type BoxKind, FIRMWARE } from '../../../simulator/boxes/kinds.ts'
import { performBoxControl, snapshotOf } from '../../../simulator/run/boxes/control.ts'
import { type BoxPrintedLine, lineOf } from '../../../simulator/run/boxes/printed-line.ts'
import { linePrinter } from '../../../simulator/run/headless/headless.ts'
import { listening } from '../../support/listening.ts'
import { eventually } from '../../support/wait.ts'
import { BOX_SCHEMA_TEXT, headlessValidator } from '../support/headless-validator.ts'
import { configOf } from './bench.ts'
import { serve } from './broker.ts'

/** A running box with its lines as `--headless` prints them. */
function start(
  url: string,
  kind: BoxKind,
  { faults = [], config = {} }: { faults?: BoxFault[]; config?: object } = {},
) {
  const lines: Record<string, unknown>[] = []
  const print = linePrinter<BoxPrintedLine>((line) => void lines.push(Object(JSON.parse(line))), {})
  const box = new Box({
    ...{ firmware: FIRMWARE[kind], url, faults, random: () => 0 },
    config: configOf({ wordMs: 1, deadMs: 1, ...config }),
  })
  onTestFinished(() => box.stop())
  box.subscribe((item) => {
    const line = lineOf(item, false)
    if (line) print(line, item.atMs)
  })
  box.start()
  const tells = (...events: string[]) =>
    eventually(() => expect(lines.map(({ event }) => event)).toEqual(events))
  const told = (event: string) => eventually(() => expect(lines.map((line) => line.event)).toContain(event))
  return { box, lines, tells, told }
}

const TOPIC = 'speakers/BOX-0001/cmd'
const VOICE = { cmd: 'voice', playAudibleMsg: '119-105-111-116-120', amount: '50000' }

describe('a box on a broker', () => {
  it('prints what a shop hears, and every line is in the schema', async () => {
    const { url, say, confirmed } = await serve()
    const { lines, tells } = start(url, 'clip-numbers')
    await tells('connected')
    await say(TOPIC, VOICE)
    await tells('connected', 'announce', 'played')
    expect(lines[1]).toEqual({
      ...{ event: 'announce', n: 1, amount: '50000', currency: 'VND' },
      ...{ text: 'Đã nhận năm mươi nghìn đồng', lang: 'vi' },
    })
    await eventually(() => expect(confirmed).toHaveLength(1))
    for (const line of lines) expect(boxLine.parse(line)).toEqual(line)
  })

  it('runs the way of the keypad, from the digits to the paid bill', async () => {
    const { url, say, published } = await serve()
    const { box, lines, told } = start(url, 'hemipay')
    await told('connected')
    for (const line of ['keys 50', 'key 000', 'key enter']) expect(performBoxControl(box, line)).toBe(true)
    const request = await eventually(() => {
      const found = published.map(({ payload }) => Object(JSON.parse(payload)))
      const asked = found.find(({ packet_type }) => packet_type === 'request_payment')
      expect(asked?.content).toEqual({ amount_due: 50_000 })
      return asked
    })
    const send = (message_id: string, packet_type: string, content: object) =>
      say('/LLZN/BOX-0001', { message_id, packet_type, content })
    await send(request.message_id, 'rsp_request_payment', { response_status: 'success' })
    const screen_content_config = { wait_payment_screen_qrcode_1_config: { txt: '0002' } }
    await send('1', 'wait_payment', {
      amount_due: 50_000,
      order_id: 'K1',
      payment_timeout: 60,
      screen_content_config,
    })
    await told('qr')
    await send('2', 'payment', { play_payment_amount: 50_000, order_id: 'K1' })
    await told('played')
    expect(lines.map(({ event }) => event)).toEqual([
      'connected',
      'keyed',
      'answered',
      'qr',
      'cleared',
      'announce',
      'played',
    ])
    for (const line of lines) expect(boxLine.parse(line)).toEqual(line)
  })

  it('no-puback: the broker gets no PUBACK for what was heard, but for the rest', async () => {
    const { url, say, confirmed, published } = await serve()
    const { box, told, lines } = start(url, 'clip-numbers', { faults: ['no-puback'] })
    await told('connected')
    await say(TOPIC, VOICE)
    await told('played')
    box.setFault('no-puback', false)
    // Without a PUBACK of its own, its answer comes after all that the box has confirmed before.
    await say(TOPIC, { cmd: 'getinfo' }, 0)
    await eventually(() => expect(published).toHaveLength(1))
    expect(confirmed).toEqual([])
    await say(TOPIC, VOICE)
    await eventually(() => expect(confirmed).toHaveLength(1))
    expect(lines.filter(({ event }) => event === 'announce')).toHaveLength(2)
  })

  it('recites: what came while it had no power is said, and is not without the fault', async () => {
    for (const faults of [['recites'], []] as BoxFault[][]) {
      const { url, say } = await serve()
      const { box, lines, told, tells } = start(url, 'clip-numbers', { faults })
      await told('connected')
      box.powerOff()
      await say(TOPIC, VOICE)
      box.powerOn()
      const power = ['connected', 'power', 'power', 'connected']
      await (faults.length > 0 ? told('played') : tells(...power))
      expect(lines.filter(({ event }) => event === 'announce')).toHaveLength(faults.length)
    }
  })

  it('dies-before-reply: it says the payment, is gone, and comes back with an empty memory', async () => {
    const { url, say, published } = await serve()
    const { lines, tells } = start(url, 'alink', { faults: ['dies-before-reply'] })
    await tells('connected')
    const speech = { id: 'S1', speechs: ['da-nhan', '1', 'dong'] }
    const command = { method: 'thing.service.SpeechBroadcast', params: speech }
    await say('/sys/pk/BOX-0001/thing/service/SpeechBroadcast', command)
    const died = ['connected', 'announce', 'played', 'fault', 'power', 'power', 'connected']
    await tells(...died)
    expect(published).toEqual([])
    await say('/sys/pk/BOX-0001/thing/service/SpeechBroadcast', command)
    await tells(...died, 'announce', 'played')
    await eventually(() => expect(published).toHaveLength(1))
    expect(lines.at(-1)).toEqual({ event: 'played', n: 1 })
  })

  it('wrong-topic: hears nothing; qos0: hears without a PUBACK', async () => {
    const { url, say, confirmed } = await serve()
    const { box, lines, told } = start(url, 'clip-numbers', { faults: ['wrong-topic'] })
    await told('connected')
    await say(TOPIC, VOICE)
    await say(`${TOPIC}/wrong`, VOICE)
    await told('played')
    box.stop()
    const other = start(url, 'clip-numbers', { faults: ['qos0'], config: { serial: 'BOX-0002' } })
    await other.told('connected')
    const acks = confirmed.length
    await say('speakers/BOX-0002/cmd', VOICE)
    await other.told('played')
    expect(lines.filter(({ event }) => event === 'announce')).toHaveLength(1)
    expect(confirmed).toHaveLength(acks)
  })

  it('stalls: the line stays open, and what waited comes at its end', async () => {
    const { url, say, clients } = await serve()
    const { box, told, tells } = start(url, 'clip-numbers')
    await told('connected')
    box.setFault('stalls', true)
    await say(TOPIC, VOICE)
    // What another box has heard since has overtaken it.
    const other = start(url, 'openluat', { config: { serial: 'BOX-0002' } })
    await other.told('connected')
    await say('/sub/topic/money/BOX-0002', { money: '1' })
    await other.told('played')
    expect(clients[0]?.closed).toBe(false)
    await tells('connected', 'fault')
    box.setFault('stalls', false)
    await tells('connected', 'fault', 'fault', 'announce', 'played')
  })

  it('stalls: what waited is lost when the hub resets the line', async () => {
    const { url, say, sockets } = await serve()
    const { box, told, tells, lines } = start(url, 'clip-numbers')
    await told('connected')
    box.setFault('stalls', true)
    await say(TOPIC, VOICE)
    sockets[0]?.resetAndDestroy()
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true))
    // A second box shows that the reset has reached this process.
    const other = start(url, 'openluat', { config: { serial: 'BOX-0002' } })
    await other.told('connected')
    box.setFault('stalls', false)
    await tells('connected', 'fault', 'fault', 'disconnected', 'connected')
    expect(lines.filter(({ event }) => event === 'announce')).toEqual([])
  })

  it('morefun: its will, with the blank, comes when its power is cut', async () => {
    const { url, published } = await serve()
    const { box, told } = start(url, 'morefun')
    await told('connected')
    const topic = '/ota/device/connection/BOX-0001/state'
    expect(published).toEqual([{ topic, payload: '1' }])
    box.powerOff()
    await eventually(() => expect(published.at(-1)).toEqual({ topic: `${topic} `, payload: '0' }))
  })

  it('gives up when its very first login is refused', async () => {
    const broker = await Aedes.createBroker({
      authenticate: (_client, _name, _password, done) =>
        done(Object.assign(new Error('no'), { returnCode: 4 }), null),
    })
    onTestFinished(() => broker.close())
    const url = `mqtt://${await listening(createServer((socket) => broker.handle(socket)))}`
    const box = new Box({ firmware: FIRMWARE.ds50, config: configOf(), url, stopWhenRefused: true })
    onTestFinished(() => box.stop())
    const events: unknown[] = []
    box.subscribe((item) => item.kind === 'event' && events.push(item.event))
    box.start()
    await eventually(() => expect(events).toHaveLength(1))
    expect(events[0]).toMatchObject({ event: 'refused', code: expect.any(Number) })
    expect(events[0]).not.toHaveProperty('retryInMs')
  })

  it('the published schema has each line, with a snapshot and packets, and refuses others', async () => {
    const { url, say } = await serve()
    const validate = headlessValidator(BOX_SCHEMA_TEXT)
    const { box, told, lines } = start(url, 'hemipay')
    const packets: unknown[] = []
    box.subscribe((item) => packets.push(lineOf(item, true)))
    await told('connected')
    for (const line of ['keys 50', 'key enter']) performBoxControl(box, line)
    await say('/LLZN/BOX-0001', {
      message_id: '1',
      packet_type: 'payment',
      content: { play_payment_amount: 1 },
    })
    await told('announce')
    lines.push(Object(snapshotOf(box)))
    await told('played')
    for (const line of [...lines, ...packets]) expect([line, validate(line)]).toEqual([line, true])
    expect(packets).toContainEqual(expect.objectContaining({ event: 'packet', packet: 'publish' }))
    for (const wrong of [{ event: 'announce', n: 1 }, { event: 'snapshot' }, { event: 'sung' }])
      expect(validate(wrong)).toBe(false)
  })

  it.each(['keys 12a', 'key 5 5', 'power', 'fault nothing on', 'fault stalls', 'sing', 'network on'])(
    '"%s" is no control line',
    (line) => {
      const box = new Box({ firmware: FIRMWARE.ds50, config: configOf(), url: 'mqtt://127.0.0.1:1' })
      expect(performBoxControl(box, line)).toBe(false)
    },
  )
})
