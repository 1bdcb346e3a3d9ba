import type { IPublishPacket } from 'mqtt-packet'
import { parsePlain } from '../../frame.ts'
import type { Link } from '../wire/link.ts'
import { writePacket } from '../wire/packet.ts'
import type { Facts, Transcript } from '../wire/transcript.ts'

/** How the bytes of a command travel: normally, or as over a bad network. */
export const DELIVERIES = ['whole', 'pieces', 'twice', 'marked', 'held', 'lost', 'half'] as const
export type Delivery = (typeof DELIVERIES)[number]

/** Identifiers run from 1 to this: 0 is invalid (MQTT 3.1.1, 2.3.1). */
const LAST_PACKET_ID = 0xffff

/** Publishes frames on the down topic at QoS 1. */
export class Sender {
  readonly #topic: string
  readonly #transcript: Transcript
  readonly #commandOf = new Map<number, string>()
  // Starts high so that both bytes of the identifier are used and it soon wraps around.
  #packetId = LAST_PACKET_ID - 3

  constructor(topic: string, transcript: Transcript) {
    this.#topic = topic
    this.#transcript = transcript
  }

  /** The id of the latest command with this packet identifier. */
  commandOf(packetId: number | undefined): string | undefined {
    return packetId === undefined ? undefined : this.#commandOf.get(packetId)
  }

  async deliver(link: Link, frame: Buffer, delivery: Delivery): Promise<void> {
    const says = bodyOf(frame)
    const packet = { ...this.#packet(frame, says), dup: delivery === 'marked' }
    const bytes = writePacket(packet)
    this.#note(link, bytes, says, delivery === 'lost' ? 'lost' : 'command')
    switch (delivery) {
      case 'lost':
        return
      case 'whole':
      case 'marked':
        return link.write(bytes)
      case 'pieces':
        return await link.writeInPieces(bytes)
      case 'held':
        return link.hold(bytes)
      case 'half':
        return link.writeAndCut(bytes.subarray(0, bytes.length >> 1))
      case 'twice': {
        const copy = writePacket({ ...packet, dup: true })
        this.#note(link, copy, says, 'command')
        return link.write(Buffer.concat([bytes, copy]))
      }
    }
  }

  #packet(payload: Buffer, says: Facts): IPublishPacket {
    this.#packetId = (this.#packetId % LAST_PACKET_ID) + 1
    if (typeof says.id === 'string') this.#commandOf.set(this.#packetId, says.id)
    const flags = { qos: 1, retain: false, dup: false } as const
    return { cmd: 'publish', topic: this.#topic, payload, ...flags, messageId: this.#packetId }
  }

  #note(link: Link, bytes: Buffer, says: Facts, kind: 'command' | 'lost'): void {
    this.#transcript.add({ link: link.number, direction: 'down', kind, bytes, says })
  }
}

function bodyOf(frame: Buffer): Facts {
  const opened = parsePlain(frame)
  return opened.ok ? { ...Object(opened.body) } : {}
}
