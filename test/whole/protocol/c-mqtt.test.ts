import fc from 'fast-check'
import { generate, type Packet, parser } from 'mqtt-packet'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtCLine, type CLine, missingForCore } from '../../protocol/c/build.ts'
import { bytesOf, connack, type Printed, packetsIn, puback, publish, suback } from './c/line.ts'

const RX = 512
const MOST = 2_097_151
/** A client that has connected and subscribed, as lines for line_run.c. */
const STARTED = [`mqtt ${RX}`, 'connect', 'subscribe down']
const feed = (bytes: Uint8Array, step = bytes.length) => `in ${step} ${Buffer.from(bytes).toString('hex')}`
const GREETED = [...STARTED, feed(bytesOf(connack(), suback()))]

const TOPIC = 'down'
const message = (payload: string | Uint8Array, id = 7) => publish(payload, id, TOPIC)
/** One packet of each kind that a hub sends. */
const STREAM: Packet[] = [
  ...[
    connack(),
    suback(),
    message('first'),
    message('', 1),
    { ...message('x'.repeat(120)), dup: true } as Packet,
    puback(2),
  ],
  ...[{ cmd: 'pingresp' } as const, message('of QoS 0', 0), message('y'.repeat(RX - 8)), puback(65_535)],
]

/** What the client says of a packet. */
function eventsOf(packet: Packet): Printed[] {
  switch (packet.cmd) {
    case 'connack':
      return [{ connack: packet.returnCode }]
    case 'suback':
      return [{ suback: packet.granted[0] }]
    case 'puback':
      return [{ puback: packet.messageId }]
    case 'publish':
      return [{ topic: packet.topic }, { payload: Buffer.from(packet.payload).toString('hex') }]
    default:
      return []
  }
}

/** The parser refuses an unknown code in a SUBACK. Here it is an event: the session ends at it (sb/1 4.3). */
const isOddSuback = ({ suback }: Printed) => suback !== undefined && ![0, 1, 2, 0x80].includes(Number(suback))

const eventsIn = (printed: Printed[]): Printed[] =>
  printed
    .filter((one) => !('sent' in one))
    .map((one) => ('topic' in one ? { topic: Buffer.from(String(one.topic), 'hex').toString() } : one))
const sentIn = (printed: Printed[]) => packetsIn(printed.map(({ sent }) => sent ?? '').join(''))

describe.skipIf(missingForCore() !== undefined)('the MQTT client of the firmware', () => {
  let c: CLine
  beforeAll(async () => {
    c = await builtCLine()
  })

  it('reads a stream in pieces of every size alike, and confirms each PUBLISH with QoS 1 once', () => {
    const bytes = bytesOf(...STREAM)
    const steps = Array.from({ length: bytes.length }, (_, index) => index + 1)
    const printed = c.run(steps.map((step) => [...STARTED, feed(bytes, step)]))
    for (const lines of printed) {
      expect(eventsIn(lines)).toEqual(STREAM.flatMap(eventsOf))
      const pubacks = sentIn(lines).slice(2)
      expect(pubacks.map((packet) => [packet.cmd, packet.messageId])).toEqual(
        [7, 1, 7, 7].map((id) => ['puback', id]),
      )
    }
  })

  it('writes PUBLISHes of every length around the edges of the remaining length as they are meant', () => {
    const lengths = [0, 1, 100, ...Array.from({ length: 12 }, (_, index) => 116 + index), 400, 1_000]
    const payloads = lengths.map((length) => Buffer.alloc(length, 'p'))
    const printed = c.run(
      payloads.flatMap((payload) =>
        [0, 1].map((qos) => [...GREETED, `publish ${qos} ${payload.toString('hex')}`]),
      ),
    )
    const sent = printed.map((lines) => sentIn(lines).at(-1))
    expect(sent).toMatchObject(
      payloads.flatMap((payload) => [
        { cmd: 'publish', topic: 'up', payload, qos: 0, dup: false, retain: false },
        { cmd: 'publish', topic: 'up', payload, qos: 1, dup: false, retain: false, messageId: 2 },
      ]),
    )
  })

  it('counts packet identifiers to 65,535 and begins again at 1', () => {
    const [printed = []] = c.run([[...GREETED, 'last-id 65534', ...Array(3).fill('publish 1 00')]])
    expect(printed.filter(({ id }) => id !== undefined)).toEqual([{ id: 65_535 }, { id: 1 }, { id: 2 }])
  })

  it('tells of a PUBACK for an identifier that it does not know, and goes on', () => {
    const [printed = []] = c.run([[...GREETED, feed(bytesOf(puback(999), message('on')))]])
    expect(eventsIn(printed).slice(2)).toEqual([...eventsOf(puback(999)), ...eventsOf(message('on'))])
  })

  it('takes what its stream takes, in whatever pieces, and sends each byte once', () => {
    const lines = Array.from({ length: 400 }, (_, index) => [`room ${index % 3}`, `at ${index}`]).flat()
    const [printed = []] = c.run([[`mqtt ${RX}`, 'room 0', 'connect', 'publish 1 0102', ...lines, 'at 10']])
    expect(sentIn(printed).map(({ cmd }) => cmd)).toEqual(['connect', 'publish'])
  })

  it('sends whole packets or none: without room a PUBLISH has no identifier, and nothing is read', () => {
    const payload = '61'.repeat(300)
    const full = [
      ...GREETED,
      'room 0',
      ...Array(6).fill(`publish 1 ${payload}`),
      feed(bytesOf(message('later'))),
    ]
    const [printed = []] = c.run([[...full, 'room 100000', 'at 1']])
    const ids = printed.filter(({ id }) => id !== undefined).map(({ id }) => id)
    expect(ids).toEqual([2, 3, 4, 5, 0, 0])
    expect(sentIn(printed).filter(({ cmd }) => cmd === 'publish')).toHaveLength(4)
    expect(eventsIn(printed).slice(-2)).toEqual(eventsOf(message('later')))
    // It was read only when there was room again.
    const [before = []] = c.run([full])
    expect(eventsIn(before).at(-1)).toEqual({ id: 0 })
  })

  it('counts both bytes of a remaining length of 128: a packet that is one byte too large has no room', () => {
    const bytes = (length: number) => `publish 1 ${'61'.repeat(length)}`
    // 1,406 of 1,536 bytes are taken. 131 and then 130 more are asked for.
    const lines = ['room 0', bytes(1_397), bytes(122), bytes(121), 'room 100000', 'at 1']
    const [printed = []] = c.run([[...GREETED, ...lines]])
    expect(printed.filter(({ id }) => id !== undefined)).toEqual([{ id: 2 }, { id: 0 }, { id: 3 }])
    expect(sentIn(printed)).toHaveLength(4)
  })

  it.each([RX + 1, 5_000, 20_000])(
    'drops a PUBLISH of %i bytes, confirms it, and reads the next one',
    (size) => {
      for (const step of [1, 100, 30_000]) {
        const stream = bytesOf(message('z'.repeat(size)), message('z'.repeat(size), 0), message('next', 9))
        const [printed = []] = c.run([[...GREETED, feed(stream, step)]])
        expect(eventsIn(printed).slice(2)).toEqual([
          { dropped: true },
          { dropped: true },
          ...eventsOf(message('next')),
        ])
        expect(sentIn(printed).slice(2)).toMatchObject([{ messageId: 7 }, { messageId: 9 }])
      }
    },
  )

  it('reads a remaining length in more bytes than it needs, and refuses one of five bytes', () => {
    const [long = [], five = []] = c.run([
      [...GREETED, feed(Buffer.from('408280800000ff', 'hex'))],
      [...GREETED, feed(Buffer.from('408280808000ff', 'hex'))],
    ])
    expect(eventsIn(long).slice(2)).toEqual([{ puback: 255 }])
    expect(eventsIn(five).slice(2)).toEqual([{ broken: 'malformed packet' }])
  })

  it.each([
    ['a PUBLISH before the CONNACK', STARTED, generate(message('early')).toString('hex')],
    ['a second CONNACK', GREETED, '20020000'],
    ['a CONNACK with a session', STARTED, '20020100'],
    ['a CONNACK with an unknown code', STARTED, '20020006'],
    ['a CONNACK of three bytes', STARTED, '2003000000'],
    ['a SUBACK for another SUBSCRIBE', [...STARTED, 'in 4 20020000'], '9003000201'],
    ['a second SUBACK', GREETED, '9003000101'],
    ['a SUBACK with two codes', [...STARTED, 'in 4 20020000'], '900400010101'],
    ['a PUBACK for 0', GREETED, '40020000'],
    ['a PUBACK with flags', GREETED, '42020001'],
    ['a PINGRESP with a body', GREETED, 'd00100'],
    ['a PUBLISH with QoS 2', GREETED, '34080004646f776e0001'],
    ['a PUBLISH with QoS 3', GREETED, '36080004646f776e0001'],
    ['a PUBLISH with QoS 0 and DUP', GREETED, '38060004646f776e'],
    ['a PUBLISH without a topic', GREETED, '300100'],
    ['a PUBLISH with an empty topic', GREETED, '30020000'],
    ['a PUBLISH whose topic is longer than it', GREETED, '30060005646f776e'],
    ['a PUBLISH whose identifier is not in it', GREETED, '32070004646f776e00'],
    ['a PUBLISH with the identifier 0', GREETED, '32080004646f776e0000'],
    ['a packet of a client', GREETED, 'c000'],
    ['a packet of type 0', GREETED, '0000'],
    ['a packet of type 15', GREETED, 'f000'],
    ['a PUBREC', GREETED, '50020001'],
    ['a large PUBLISH whose topic does not fit', GREETED, `30d804${'61'.repeat(600)}`],
  ])('ends the session at %s, and takes nothing after it', (_what, lines, hex) => {
    const more = bytesOf(message('more')).toString('hex')
    const [printed = []] = c.run([[...lines, `in 1000 ${hex}${more}`, 'publish 1 00', 'at 5', 'at 100000']])
    const events = eventsIn(printed)
    expect(events.slice(-2)).toEqual([{ broken: 'malformed packet' }, { id: 0 }])
    expect(sentIn(printed).filter(({ cmd }) => cmd === 'puback')).toEqual([])
  })

  it('reads no mutated stream otherwise than an independent parser does', () => {
    const stream = bytesOf(...STREAM)
    const mutations = fc.sample(
      fc.array(
        fc.record({ at: fc.nat(stream.length - 1), byte: fc.nat(255), cut: fc.nat(3), step: fc.nat(99) }),
        { minLength: 1, maxLength: 3 },
      ),
      { numRuns: 3_000, seed: 1 },
    )
    const streams = mutations.map((changes) => {
      const bytes = [...stream]
      for (const { at, byte, cut } of changes) bytes.splice(at % bytes.length, cut, byte)
      return { bytes: Buffer.from(bytes), step: (changes[0]?.step ?? 0) + 1 }
    })
    const printed = c.run(streams.map(({ bytes, step }) => [...STARTED, feed(bytes, step)]))
    let whole = 0
    for (const [index, { bytes }] of streams.entries()) {
      const events = eventsIn(printed[index] ?? [])
      const broken = events.findIndex((one) => 'broken' in one)
      const taken = broken < 0 ? events : events.slice(0, broken)
      expect(broken < 0 || broken === events.length - 1).toBe(true)
      // This client is stricter than the parser: it may end earlier, but never reads another thing.
      const odd = taken.findIndex(isOddSuback)
      const comparable = odd < 0 ? taken : taken.slice(0, odd)
      expect(comparable).toEqual(expectedOf(bytes).slice(0, comparable.length))
      if (broken < 0) whole += 1
    }
    // Both happen: streams that stay valid, and streams that break.
    expect(whole).toBeGreaterThan(100)
    expect(whole).toBeLessThan(2_900)
  })

  describe('keepalive', () => {
    const ids = (printed: Printed[]) => sentIn(printed).map(({ cmd }) => cmd)
    const pingsAfter = (...lines: string[]) => {
      const [printed = []] = c.run([[...GREETED, ...lines]])
      return [ids(printed).filter((cmd) => cmd === 'pingreq').length, printed.at(-1)]
    }
    const pong = feed(Buffer.from('d000', 'hex'))

    it('pings within the keepalive of its last packet, although packets come all the time', () => {
      const traffic = Array.from({ length: 11 }, (_, index) => [
        `at ${(index + 1) * 5_000}`,
        feed(bytesOf(message('in', 0))),
      ])
      expect(pingsAfter('at 54999')).toMatchObject([0, {}])
      expect(pingsAfter(...traffic.flat(), 'at 59999')[0]).toBe(1)
    })

    it('pings when nothing comes, although it sends all the time', () => {
      const traffic = Array.from({ length: 6 }, (_, index) => [`at ${index * 10_000}`, 'publish 0 00'])
      expect(pingsAfter(...traffic.flat(), 'at 59999')[0]).toBe(1)
    })

    it('pings no more than needed, and once at a time', () => {
      const day = Array.from({ length: 100 }, (_, index) => [`at ${index * 10_000}`, pong]).flat()
      expect(pingsAfter(...day)[0]).toBe(16)
      expect(pingsAfter('at 56000', 'at 60000', 'at 85000')[0]).toBe(1)
    })

    it('sb/1 1.8: ends the session when no PINGRESP comes for 30 s, whatever else comes', () => {
      const other = feed(bytesOf(message('other', 0)))
      expect(pingsAfter('at 56000', other, 'at 85999')).toEqual([1, eventsOf(message('other', 0))[1]])
      expect(pingsAfter('at 56000', other, 'at 86000')).toEqual([1, { broken: 'no PINGRESP in time' }])
      expect(pingsAfter('at 56000', pong, 'at 86000')[0]).toBe(1)
    })

    it('does not ping before its CONNACK or after its DISCONNECT, and sends nothing else then', () => {
      const [before = [], after = []] = c.run([
        [...STARTED, 'at 200000'],
        [...GREETED, 'disconnect', 'publish 1 00', feed(bytesOf(message('late'))), 'at 200000'],
      ])
      expect(ids(before)).toEqual(['connect', 'subscribe'])
      expect(ids(after)).toEqual(['connect', 'subscribe', 'disconnect'])
      expect(eventsIn(after).slice(2)).toEqual([{ id: 0 }])
    })
  })
})

/** What an independent parser reads, up to its first error or to a packet that is larger than the buffer. */
function expectedOf(bytes: Buffer): Printed[] {
  const events: Printed[] = []
  const parse = parser({ protocolVersion: 4 })
  let isOver = false
  parse.on('error', () => {
    isOver = true
  })
  parse.on('packet', (packet) => {
    if (isOver) return
    const length = packet.length ?? 0
    if (packet.cmd === 'publish' && length > RX && length <= MOST) events.push({ dropped: true })
    else events.push(...eventsOf(packet))
  })
  parse.parse(bytes)
  return events
}
