import type { Packet } from 'mqtt-packet'
import { beforeAll, describe, expect, it } from 'vitest'
import { maskKey, parseKey } from '../../../protocol/keys.ts'
import { builtCLine, type CLine, missingForCore } from '../../protocol/c/build.ts'
import { commandIdOf } from '../../simulator/support/hub-double.ts'
import * as line from './c/line.ts'
import { all, brief, connack, connectionsIn, hub, last, OPENED, puback, suback, WELCOMED } from './c/line.ts'

const SENTENCE = { amount: '50000', currency: 'VND', lang: 'vi', clips: 'da-nhan 5 muoi nghin dong' }
const announce = (n: number) => line.command('announce', n, SENTENCE)
/** The lowest and the highest of all random numbers. */
const [LOWEST, HIGHEST] = ['random 0', 'random ff']
const ENDS = ['offline', 'disconnected', 'refused']

describe.skipIf(missingForCore() !== undefined)('the session of the firmware', () => {
  let c: CLine
  beforeAll(async () => {
    c = await builtCLine()
  })
  const run = (...lines: string[]) => c.run([lines])[0] ?? []
  const endsOf = (printed: line.Printed[]) =>
    all(printed, ...ENDS).map(({ is, reason, retryMs }) => [is, reason, retryMs])

  it('sb/1 1.2, sb/1 1.3, sb/1 3.2: logs in, subscribes, is born and welcomed, and sends nothing else before', () => {
    const printed = run(...WELCOMED)
    const [packets = []] = connectionsIn(printed)
    expect(packets.map(brief)).toEqual([
      ...['connect', 'subscribe', 'birth', 'puback 1', 'ack 1 received', 'telemetry'],
    ])
    expect(packets[0]).toMatchObject({
      ...{ clientId: line.SERIAL, username: line.SERIAL, clean: true, keepalive: 60, protocolVersion: 4 },
      will: { topic: `sb/1/${line.SERIAL}/up/will`, qos: 1, retain: false },
    })
    expect(JSON.parse(Object(packets[0]).will.payload)).toEqual({ sid: line.SID, reason: 'lost' })
    expect(packets[1]).toMatchObject({ subscriptions: [{ topic: line.DOWN, qos: 1 }] })
    expect(all(printed, 'connected', ...ENDS)).toMatchObject([{ is: 'connected' }])
  })

  it.each([
    ['CONNACK', [], 1_000],
    ['SUBACK', [hub(connack()), 'run 1'], 1_000],
    ['welcome', [hub(connack()), 'run 1000', hub(suback()), 'run 1'], 2_000],
  ])(
    'sb/1 1.8: ends an attempt without %s after 30 s, and waits as after a lost connection',
    (answer, lines, sinceMs) => {
      const printed = run(...OPENED, ...lines, HIGHEST, 'run 28000', 'state', 'run 4000')
      const state = all(printed, 'state')[0]
      expect(all(printed.slice(0, printed.indexOf(state ?? {})), ...ENDS)).toEqual([])
      expect(endsOf(printed)).toEqual([['offline', `no ${answer} in time`, 999]])
      expect(Number(all(printed, 'offline')[0]?.at)).toBeLessThan(sinceMs + 30_500)
    },
  )

  it('sb/1 1.8: gives up an attempt to open the connection after 30 s', () => {
    const printed = run(`line ${line.KEY}`, HIGHEST, 'open-error -1', 'run 35000')
    expect(endsOf(printed)).toEqual([['offline', 'no connection in time', 999]])
  })

  it('sb/1 13.1, sb/1 13.3: waits longer after each failure, and a CONNACK does not restart the count', () => {
    const attempt = (waitMs: number) => [hub(connack()), 'run 1000', 'hub-closes', `run ${waitMs + 1_500}`]
    const ceilings = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
    const printed = run(...OPENED, HIGHEST, ...ceilings.flatMap(attempt))
    const waits = all(printed, 'offline').map(({ retryMs }) => Number(retryMs))
    expect(waits).toEqual(ceilings.map((ceiling) => ceiling - 1))
    const opened = all(printed, 'opened').map(({ at }) => Number(at))
    const ends = all(printed, 'offline').map(({ at }) => Number(at))
    for (const [index, at] of opened.slice(1).entries())
      expect(at - (ends[index] ?? 0)).toBeGreaterThanOrEqual(Number(waits[index]))
    // A welcome restarts it.
    const sid = 'ff'.repeat(8)
    const welcomed = run(
      ...[...OPENED, HIGHEST, ...attempt(1_000), hub(connack()), 'run 1000', hub(suback()), 'run 1000'],
      ...[hub(puback(2), line.welcome(sid)), 'run 1000', 'hub-closes', 'run 1000'],
    )
    expect(endsOf(welcomed)).toEqual([
      ['offline', 'closed', 999],
      ['disconnected', 'closed', 999],
    ])
  })

  it.each([1, 2, 4, 5])(
    'sb/1 13.2: waits for 15 minutes after CONNACK %i, also if the hub closes at once',
    (code) => {
      const printed = run(
        ...OPENED,
        LOWEST,
        hub(connack(code)),
        'hub-closes',
        'run 890000',
        'state',
        'run 20000',
      )
      expect(all(printed, ...ENDS)).toMatchObject([{ is: 'refused', code, retryMs: 900_000 }])
      expect(all(printed, 'opened')).toHaveLength(2)
      expect(Number(all(printed, 'opened')[1]?.at)).toBeGreaterThan(900_000)
    },
  )

  it('sb/1 1.7: takes CONNACK 3 for a lost connection', () => {
    const printed = run(...OPENED, HIGHEST, hub(connack(3)), 'run 1000')
    expect(endsOf(printed)).toEqual([['offline', 'the hub is not available', 999]])
  })

  it.each([0, 2, 0x80])('sb/1 4.3: is not born after SUBACK %i', (code) => {
    const packet: Packet = { cmd: 'suback', messageId: 1, granted: [code] }
    const printed = run(...OPENED, HIGHEST, hub(connack()), 'run 1000', hub(packet), 'run 1000')
    expect(endsOf(printed)).toEqual([['offline', 'the subscription was refused', 999]])
    expect(connectionsIn(printed)[0]?.map(brief)).toEqual(['connect', 'subscribe'])
  })

  it('speaks a payment: PUBACK, received, played', () => {
    const printed = run(...WELCOMED, hub(announce(2)), 'run 1000', 'sound-ended', 'run 1000')
    expect(all(printed, 'say', 'said')).toMatchObject([{ n: 2 }, { n: 2 }])
    expect(connectionsIn(printed)[0]?.slice(6).map(brief)).toEqual([
      ...['puback 2', 'ack 2 received', 'ack 2 played'],
    ])
  })

  it('sb/1 7.26: closes a connection on which no PUBACK comes for 60 s, and has sent each ack once', () => {
    // Pings are answered, so the line is not dead.
    const pong = [hub({ cmd: 'pingresp' }), 'run 10000']
    const printed = run(...WELCOMED, hub(announce(2)), 'run 1000', ...Array(7).fill(pong).flat())
    expect(endsOf(printed)[0]?.slice(0, 2)).toEqual(['disconnected', 'no PUBACK in time'])
    const acks = connectionsIn(printed)[0]
      ?.map(brief)
      .filter((one) => one === 'ack 2 received')
    expect(acks).toHaveLength(1)
  })

  it('finds a line that is dead without a word within two minutes, although its reports go out', () => {
    const printed = run(...WELCOMED, 'run 120000')
    expect(endsOf(printed)[0]?.slice(0, 2)).toEqual(['disconnected', 'no PINGRESP in time'])
    const sent = connectionsIn(printed)[0]?.map(brief) ?? []
    expect(sent.filter((one) => one === 'pingreq')).toHaveLength(1)
    expect(sent.filter((one) => one === 'telemetry').length).toBeGreaterThan(1)
  })

  it('sb/1 3.2: says bye before it is switched off, and is off when the hub closes or 3 s later', () => {
    for (const [closes, lateMs] of [
      [['hub-closes'], 500],
      [[], 3_500],
    ] as const) {
      const printed = run(...WELCOMED, 'leave', 'run 300', ...closes, 'run 10000', 'state')
      expect(connectionsIn(printed)[0]?.slice(-2).map(brief)).toEqual(['will bye', 'disconnect'])
      expect(last(printed)).toMatchObject({ link: 0, cause: 'switched off' })
      const at = Number(all(printed, 'disconnected')[0]?.at)
      expect(at - 5_000).toBeLessThan(lateMs)
    }
  })

  it('is switched off at once in every state before a session', () => {
    for (const before of [
      ['run 1'],
      ['open-error -1', 'run 1000'],
      ['run 1000'],
      ['searches 99', 'run 1000'],
    ]) {
      const printed = run(`line ${line.KEY}`, ...before, 'leave', 'run 20', 'state')
      expect([before, last(printed).link]).toEqual([before, 0])
    }
  })

  it('sb/1 2.7, sb/1 2.8: moves to its next key: bye, and a new connection with the other password at once', () => {
    const next = Buffer.alloc(32, 9)
    const key = parseKey(line.KEY) ?? Buffer.of()
    const masked = Buffer.from(maskKey(key, commandIdOf(5), next)).toString('base64url')
    const rekey = line.command('rekey', 5, { key: masked })
    const printed = run(...[...WELCOMED, hub(rekey), 'run 1000', hub(puback(4)), HIGHEST, 'run 12000'])
    const [first = [], second = []] = connectionsIn(printed)
    expect(first.slice(-2).map(brief)).toEqual(['will bye', 'disconnect'])
    expect(endsOf(printed)).toEqual([['disconnected', 'the device uses its next key', 0]])
    expect(Object(second[0]).password).not.toEqual(Object(first[0]).password)
    // The next key is refused: the old one at once. Both are refused: the long wait.
    const again = [hub(connack(4)), 'run 1000']
    const refused = run(
      ...[...WELCOMED, hub(rekey), 'run 1000', hub(puback(4)), LOWEST, 'run 12000'],
      ...[...again, ...again],
    )
    expect(all(refused, 'refused').map(({ retryMs }) => retryMs)).toEqual([0, 900_000])
    expect(Object(connectionsIn(refused)[2]?.[0]).password).toEqual(Object(first[0]).password)
  })

  it('sb/1 7.4: sends the acks that had no room in another session, and loses none', () => {
    const bad = Array.from({ length: 20 }, (_, index) => hub(line.command('unknown', index + 2, {})))
    const sid = (byte: string) => byte.repeat(8)
    const session = (byte: string) => [
      ...[hub(connack()), 'run 1000', hub(suback()), 'run 1000', hub(puback(2), line.welcome(sid(byte)))],
      'run 1000',
    ]
    const pubacks = (count: number) => hub(...Array.from({ length: count }, (_, index) => puback(index + 3)))
    const printed = run(
      ...[...WELCOMED, ...bad.flatMap((one) => [one, 'run 200']), 'random 2', 'hub-closes', 'run 2000'],
      ...[...session('02'), 'random 3', pubacks(20), 'run 500', 'hub-closes', 'run 2000', ...session('03')],
      ...[pubacks(20), 'run 1000'],
    )
    const failed = connectionsIn(printed).map((packets) =>
      packets.map(brief).filter((one) => one.endsWith('failed unsupported')),
    )
    expect(failed[0]).toHaveLength(20)
    expect(failed[1]?.length).toBeGreaterThan(5)
    expect(failed[1]?.length).toBeLessThan(20)
    expect([...(failed[1] ?? []), ...(failed[2] ?? [])]).toEqual(failed[0])
    expect(connectionsIn(printed)[1]?.slice(-2).map(brief)).toEqual(['will bye', 'disconnect'])
    expect(endsOf(printed).map(([, reason]) => reason)).toEqual(['closed', 'acks had no room'])
  })

  it('sb/1 10.1: drops a packet that is larger than its buffer, and goes on', () => {
    const large = line.publish(Buffer.alloc(3_000, 'x'), 99)
    const printed = run(...WELCOMED, hub(large, announce(2)), 'run 2000')
    expect(all(printed, 'dropped', 'say', ...ENDS).map(({ is }) => is)).toEqual(['dropped', 'say'])
    expect(connectionsIn(printed)[0]?.slice(6).map(brief)).toEqual([
      'puback 99',
      'puback 2',
      'ack 2 received',
    ])
  })

  it('hands nothing of another topic to the core', () => {
    const other = { ...announce(2), topic: `sb/1/${line.SERIAL}/up/ack` } as Packet
    const printed = run(...WELCOMED, hub(other), 'run 1000')
    expect(all(printed, 'say', 'ignored')).toEqual([])
  })

  describe('with TLS in the firmware', () => {
    const SECURED = [`line ${line.KEY} layer`, 'random 1', 'run 1000']
    const hello = Buffer.from('hub.example').toString('hex')
    const secure = `hub ${Buffer.from('S').toString('hex')}`

    it('sends its CONNECT when the handshake is over, and not before', () => {
      const printed = run(...SECURED, 'state', secure, 'run 1000')
      const [before = '', after = ''] = all(printed, 'hub').map(({ bytes }) => String(bytes))
      expect(before).toBe(hello)
      expect(line.packetsIn(after)).toMatchObject([{ cmd: 'connect' }])
      expect(all(printed, 'state')[0]).toMatchObject({ link: 4 })
    })

    it('sb/1 18.9: does not go on when the handshake fails, and names the reason', () => {
      const printed = run(...SECURED, HIGHEST, `hub ${Buffer.from('F').toString('hex')}`, 'run 500')
      expect(endsOf(printed)).toEqual([['offline', 'bad certificate', 999]])
      expect(all(printed, 'hub').map(({ bytes }) => bytes)).toEqual([hello])
    })

    it('writes nothing to the buffers of MQTT during a handshake: they have the same memory', () => {
      const session = (sid: string) => [
        ...[secure, 'run 500', hub(connack()), 'run 500', hub(suback()), 'run 500'],
        ...[hub(puback(2), line.welcome(sid)), 'run 500'],
      ]
      const printed = run(
        ...[...SECURED, ...session(line.SID), hub(puback(3), announce(2)), 'run 500', 'random 2'],
        // It connects again, and the sentence ends during the handshake.
        ...['hub-closes', 'run 3000', 'state', 'sound-ended', 'run 9000', ...session('02'.repeat(8))],
        ...['hub-closes', 'run 3000', 'state', 'leave', 'run 100'],
      )
      expect(all(printed, 'state').map(({ link }) => link)).toEqual([4, 4])
      expect(all(printed, 'overwritten', 'connected', 'said').map(({ is }) => is)).toEqual([
        ...['connected', 'said', 'connected'],
      ])
      const sent = all(printed, 'hub').map(({ bytes }) => Buffer.from(String(bytes), 'hex').toString())
      expect(sent.filter((bytes) => bytes.includes('"st":"played"'))).toHaveLength(1)
    })

    it('sb/1 1.8: gives up 30 s after it began to open the connection, not 30 s after TCP', () => {
      const printed = run(...SECURED, HIGHEST, 'run 30000')
      expect(endsOf(printed)).toEqual([['offline', 'no TLS in time', 999]])
    })
  })

  it('ends a session in which a packet is malformed', () => {
    const printed = run(...WELCOMED, 'hub 3600', 'run 1000')
    expect(endsOf(printed)[0]?.slice(0, 2)).toEqual(['disconnected', 'malformed packet'])
  })

  it('is idle while nothing happens: fewer than two turns of its loop a second', () => {
    const printed = run(...WELCOMED, 'state', 'run 40000', 'state')
    expect(Number(last(printed).polls)).toBeLessThan(80)
  })
})
