import { sealFrame, sealText, upPrefix } from '../../../../protocol/frame.ts'
import { deriveKeys, passwordOf } from '../../../../protocol/keys.ts'
import { downTopic, upTopic } from '../../../../protocol/topics.ts'
import { connectPacketOf } from '../../../support/mqtt/connect-packet.ts'
import { type Line, openLine } from './line.ts'
import { pubackOf, publishOf } from './packets.ts'

export interface Device {
  serial: string
  key: Buffer
}

export interface SpeakerHooks {
  /** How long it plays. Without it, `received` and `played` leave in one segment. */
  playsMs?: number
  /** An announcement has arrived at the socket. Its amount identifies the payment. */
  heard?(amount: string): void
  /** The hub has confirmed with a PUBACK that `played` is stored. */
  stored?(amount: string): void
}

const SID = '0123456789abcdef'

/**
 * A minimal speaker: it sends its birth, and acks every command at once. It verifies no frame and stores nothing, so
 * that thousands of speakers cost little CPU compared with the hub.
 */
export async function openPocketSpeaker(
  { serial, key }: Device,
  url: string,
  hooks: SpeakerHooks = {},
): Promise<Line> {
  const keys = deriveKeys(key)
  const ackTopic = upTopic(serial, 'ack')
  const ackPrefix = upPrefix(serial, SID, 'ack')
  const welcomed = Promise.withResolvers<void>()
  const played = new Map<number, string>()
  let messageId = 1

  function nextMessageId(): number {
    messageId = (messageId % 65_535) + 1
    return messageId
  }

  function ackOf({ id, n }: Command, stage: 'received' | 'shown' | 'played'): Buffer {
    const signed = `{"t":"ack","id":"${id}","n":${n},"st":"${stage}"`
    return publishOf(ackTopic, nextMessageId(), sealText(keys.up, ackPrefix, signed))
  }

  /** The acks of a command: `received`, then its last stage if that differs. */
  function acksOf(command: Command): Buffer[] {
    const { t, d } = command
    const received = ackOf(command, 'received')
    if (t === 'welcome' || t === 'settings') return [received]
    const last = ackOf(command, t === 'announce' || t === 'identify' ? 'played' : 'shown')
    if (t === 'announce') played.set(messageId, d.amount)
    return [received, last]
  }

  const packet = connectPacketOf(serial, passwordOf(keys), { sid: SID, keepalive: 120 })
  const line = await openLine(url, packet, downTopic(serial), {
    publish(publishId, payload) {
      const command = commandOf(payload)
      if (command.t === 'announce') hooks.heard?.(command.d.amount)
      const acks = acksOf(command)
      const atOnce = hooks.playsMs === undefined ? acks : acks.slice(0, 1)
      const later = acks.slice(atOnce.length)
      line.send(Buffer.concat([pubackOf(publishId), ...atOnce]))
      if (later.length > 0) setTimeout(() => line.send(Buffer.concat(later)), hooks.playsMs)
      if (command.t === 'welcome') welcomed.resolve()
    },
    puback(ackId) {
      const amount = played.get(ackId)
      played.delete(ackId)
      if (amount !== undefined) hooks.stored?.(amount)
    },
  })
  const birth = { t: 'birth', sid: SID, fw: '1', model: 'pocket', caps: [], lang: ['vi'], rx: 2048 }
  const frame = sealFrame(keys.up, upPrefix(serial, SID, 'birth'), birth)
  line.send(publishOf(upTopic(serial, 'birth'), nextMessageId(), frame))
  await welcomed.promise
  return line
}

interface Command {
  t: string
  id: string
  n: number
  d: { amount: string }
}

function commandOf(payload: Buffer): Command {
  // Does not verify the MAC: the tests do that.
  return JSON.parse(payload.toString())
}
