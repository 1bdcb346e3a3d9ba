import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import mqttPacket, { type Packet } from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import { downPrefix, openFrame, upPrefix } from '../../protocol/frame.ts'
import { EXAMPLE } from '../../protocol/generate/messages/examples.ts'
import { LONGEST_AMOUNT } from '../../protocol/generate/spec/budget.ts'
import { examplePackets } from '../../protocol/generate/spec/example.ts'
import { bytesOf } from '../../protocol/generate/spec/mqtt.ts'
import { type DeviceKeys, deriveKeys, parseKey, passwordOf } from '../../protocol/keys.ts'
import { parseCommand } from '../../protocol/messages/command.ts'
import { announcementClips } from '../../protocol/money/sentence.ts'
import { SPEC_VERSION } from '../../protocol/version.ts'
import { mintDevice } from '../../server/devices/mint-devices.ts'
import { admit } from '../../server/dialects/sb1/connect.ts'
import { sb1 } from '../../server/dialects/sb1/index.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import { OPERATOR } from '../support/actors.ts'
import { startTestHub } from '../support/hub.ts'
import { openRaw } from '../support/mqtt/raw-mqtt.ts'
import { frameVectors } from './vectors.ts'

const specification = readFileSync(new URL('../../protocol/README.md', import.meta.url), 'utf8')
const SID = '9f86d081884c7d65'

/** The packets of the worked example, decoded from the hex in the specification. */
const printed: Packet[] = [...specification.matchAll(/```\n( +\d+ {2}[0-9a-f]{2} [\s\S]*?)```/g)].map(
  ([, block = '']) => {
    const hex = [...block.matchAll(/^ +\d+ {2}((?:[0-9a-f]{2} )*[0-9a-f]{2})(?= |$)/gm)].map(
      ([, bytes]) => bytes,
    )
    return decode(Buffer.from(hex.join('').replaceAll(' ', ''), 'hex'))
  },
)

function decode(bytes: Buffer): Packet {
  const parser = mqttPacket.parser({ protocolVersion: 4 })
  const packets: Packet[] = []
  parser.on('packet', (packet) => packets.push(packet))
  expect(parser.parse(bytes)).toBe(0)
  const [packet] = packets
  if (!packet || packets.length > 1) throw new Error('a block holds one packet')
  return packet
}

function printedPacket<C extends Packet['cmd']>(cmd: C, nth = 0): Extract<Packet, { cmd: C }> {
  const found = printed.filter((packet): packet is Extract<Packet, { cmd: C }> => packet.cmd === cmd)[nth]
  if (!found) throw new Error(`no ${cmd} is printed`)
  return found
}

const [vector] = frameVectors.keys
const serial = vector?.serial ?? ''
const keys: DeviceKeys = deriveKeys(parseKey(vector?.key ?? '') ?? Buffer.alloc(0))

describe('the version', () => {
  const changes = readFileSync(new URL('../../protocol/CHANGELOG.md', import.meta.url), 'utf8')

  it('is the one at the head of the text, and the newest in the changelog', () => {
    expect(specification).toContain(`\nVersion ${SPEC_VERSION} of the specification.`)
    expect(changes.match(/^## (\d+\.\d+)$/m)?.[1]).toBe(SPEC_VERSION)
  })

  it('names in its changes only clauses that the text has', () => {
    const rows = [...changes.matchAll(/^\| ([\d., ]+) \|/gm)].flatMap(([, cell = '']) => cell.split(', '))
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.filter((clause) => !specification.includes(`**${clause}** `))).toEqual([])
  })
})

describe('the worked example', () => {
  it('prints a CONNECT that the hub accepts, with the password of the vectors', () => {
    const connect = printedPacket('connect')
    expect(connect).toMatchObject({
      protocolVersion: 4,
      clean: true,
      keepalive: 60,
      clientId: serial,
      username: serial,
    })
    expect(connect.password?.toString()).toBe(passwordOf(keys))
    expect(admit(connect)).toMatchObject({ serial, sessionId: SID })
  })

  it('prints the answers of a real hub to CONNECT and SUBSCRIBE', async () => {
    const hub = await startTestHub()
    const ids = { ...createRandomIds(), deviceKey: () => EXAMPLE.key }
    await mintDevice(
      { by: OPERATOR, devices: hub.storage.devices, loginHash: sb1.loginHash, clock: systemClock, ids },
      EXAMPLE.serial,
    )
    const raw = await openRaw(hub.mqtt)
    const answers: Buffer[] = []
    raw.socket.on('data', (bytes) => answers.push(bytes))
    const { connect, subscribe } = examplePackets()
    raw.write(bytesOf(connect))
    await raw.next('connack')
    raw.write(bytesOf(subscribe))
    await raw.next('suback')
    const told = [...specification.matchAll(/The hub answers `([0-9a-f ]+)`/g)].map(([, hex]) => hex)
    expect(Buffer.concat(answers).toString('hex')).toBe(told.join('').replaceAll(' ', ''))
  })

  it('prints a SUBSCRIBE to the down topic at QoS 1', () => {
    expect(printedPacket('subscribe').subscriptions).toMatchObject([{ topic: `sb/1/${serial}/down`, qos: 1 }])
  })

  it('prints an announcement with a valid MAC, and its PUBACK', () => {
    const publish = printedPacket('publish')
    expect(publish).toMatchObject({ topic: `sb/1/${serial}/down`, qos: 1, retain: false })
    const opened = openFrame(keys.down, downPrefix(serial, SID), Buffer.from(publish.payload))
    expect(opened.ok && parseCommand(opened.body)).toMatchObject({
      kind: 'command',
      command: { t: 'announce', n: 42 },
    })
    expect(printedPacket('puback').messageId).toBe(publish.messageId)
  })

  it('prints an ack with a valid MAC', () => {
    const publish = printedPacket('publish', 1)
    expect(publish.topic).toBe(`sb/1/${serial}/up/ack`)
    const opened = openFrame(keys.up, upPrefix(serial, SID, 'ack'), Buffer.from(publish.payload))
    expect(opened).toMatchObject({ ok: true, body: { st: 'received', n: 42 } })
  })

  it('shows an HMAC whose first half is the MAC', () => {
    const [, digest = ''] = /HMAC {5}.*\n +([0-9a-f]{64})\n/.exec(specification) ?? []
    const mac = Buffer.from(digest.slice(0, 32), 'hex').toString('base64url')
    expect(printedPacket('publish').payload.toString()).toContain(`,"mac":"${mac}"}`)
  })

  it('prints every packet of the generator', () => {
    expect(printed).toEqual(Object.values(examplePackets()).map((parts) => decode(bytesOf(parts))))
  })
})

describe.each(['vi', 'en'] as const)('the longest sentence in %s', (lang) => {
  it('is the one in the budget tables', () => {
    const length = (amount: string) => announcementClips(lang, amount).length
    const digits = Array.from({ length: 9 }, (_, index) => String(index + 1))
    // All groups after the first are spoken alike, so one group repeated gives the longest sentence.
    const groups = Array.from({ length: 999 }, (_, index) =>
      String(index + 1)
        .padStart(3, '0')
        .repeat(4),
    )
    const longest = Math.max(...digits.flatMap((first) => groups.map((rest) => length(first + rest))))
    expect(length(LONGEST_AMOUNT[lang])).toBe(longest)
  })
})

describe('the folder', () => {
  const folder = fileURLToPath(new URL('../../protocol/', import.meta.url))

  it.each(globSync('**/*.md', { cwd: folder }))('has no link to a file outside: %s', (path) => {
    const text = readFileSync(join(folder, path), 'utf8')
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const files = targets.filter((target) => !target.startsWith('#') && !/^https?:/.test(target))
    for (const target of files) {
      const file = normalize(join(dirname(path), target.replace(/#.*$/, '')))
      expect(file.startsWith('..'), target).toBe(false)
      expect(existsSync(join(folder, file)), target).toBe(true)
    }
  })

  it('has a heading for each of its own links', () => {
    const headings = [...specification.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )
    const anchors = [...specification.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor)
    expect(anchors.filter((anchor) => !headings.includes(anchor))).toEqual([])
  })
})
