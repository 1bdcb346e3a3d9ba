import type { Packet } from 'mqtt-packet'
import { sealFrame, upPrefix } from '../../protocol/frame.ts'
import { type DeviceKeys, deriveKeys, passwordOf } from '../../protocol/keys.ts'
import { downTopic, type UpKind, upTopic } from '../../protocol/topics.ts'
import { type Line, openLine, plainConnect } from './line.ts'

export interface Device {
  serial: string
  key: Buffer
}

export interface SpeakerHooks {
  /** An announcement has come out of the socket. Amounts tell payments apart. */
  heard?(amount: string): void
  /** The hub has confirmed that its `played` is stored. */
  stored?(amount: string): void
}

const SID = '0123456789abcdef'

/**
 * A speaker that fits in a pocket: born, welcomed, and acking all it hears at once. It trusts every frame and keeps
 * nothing, so that thousands of them cost the benchmark next to nothing beside the hub.
 */
export async function openPocketSpeaker(
  { serial, key }: Device,
  url: string,
  hooks: SpeakerHooks = {},
): Promise<Line> {
  const keys = deriveKeys(key)
  const welcomed = Promise.withResolvers<void>()
  const played = new Map<number, string>()
  let messageId = 1
  let line: Line | undefined

  function say(kind: UpKind, body: object): number {
    messageId = (messageId % 65_535) + 1
    const payload = sealFrame(keys.up, upPrefix(serial, SID, kind), body)
    line?.send({ cmd: 'publish', ...FLAGS, messageId, topic: upTopic(serial, kind), payload })
    return messageId
  }

  function obey(payload: string | Buffer) {
    const { t, id, n, d } = commandOf(payload)
    if (t === 'announce') hooks.heard?.(d.amount)
    say('ack', { t: 'ack', id, n, st: 'received' })
    if (t === 'welcome') welcomed.resolve()
    else if (t === 'announce') played.set(say('ack', { t: 'ack', id, n, st: 'played' }), d.amount)
    else if (t !== 'settings') say('ack', { t: 'ack', id, n, st: t === 'identify' ? 'played' : 'shown' })
  }

  function hear(packet: Packet) {
    if (packet.cmd === 'publish') {
      line?.send({ cmd: 'puback', messageId: packet.messageId ?? 0 })
      obey(packet.payload)
    } else if (packet.cmd === 'puback') {
      const amount = played.get(packet.messageId ?? 0)
      played.delete(packet.messageId ?? 0)
      if (amount !== undefined) hooks.stored?.(amount)
    }
  }

  line = await openLine(url, connectOf(serial, keys), downTopic(serial), hear)
  const birth = { t: 'birth', sid: SID, fw: '1', model: 'pocket', caps: [], lang: ['vi'], rx: 2048 }
  say('birth', birth)
  await welcomed.promise
  return line
}

const FLAGS = { qos: 1, dup: false, retain: false } as const

function connectOf(serial: string, keys: DeviceKeys) {
  const payload = Buffer.from(JSON.stringify({ sid: SID, reason: 'lost' }))
  return {
    ...plainConnect(serial),
    username: serial,
    password: Buffer.from(passwordOf(keys)),
    will: { topic: upTopic(serial, 'will'), payload, qos: 1, retain: false },
  } as const
}

function commandOf(payload: string | Buffer): { t: string; id: string; n: number; d: { amount: string } } {
  // The benchmark's own hub has sent it; whether it is right is for the tests to say.
  return JSON.parse(payload.toString())
}
