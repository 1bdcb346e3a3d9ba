import type { PublishedPacket } from '../delivery/dialect.ts'
import type { Outgoing, Sending } from '../delivery/session/ports.ts'
import type { Clock } from '../platform/clock.ts'

/** A device that does not read for this long is disconnected. Until then it holds up nothing but its own socket. */
export const DRAIN_TIMEOUT_MS = 10_000

/** Bytes that may wait for a device that does not read. All that the hub keeps for a speaker takes a tenth. */
export const MAX_UNREAD_BYTES = 262_144

/** A device answers a command with a PUBACK and two stages; settings with a PUBACK, a stage and a report. */
const ANSWERS = 3

/** MQTT 3.1.1, 2.3.1: packet identifiers have 16 bits and are never 0. */
const LAST_MESSAGE_ID = 0xffff
/** MQTT 3.1.1, 3.3.1: a PUBLISH at QoS 1, first sent, not retained. */
const PUBLISH_QOS_1 = 0x32
/** MQTT 3.1.1, 3.4.1: a PUBACK, and the bytes that follow. */
const PUBACK = [0x40, 2] as const
/** MQTT 3.1.1, 2.2.3. */
const MAX_LENGTH_BYTES = 4

/** One connection, as its carrier offers it to the gate: Aedes on a socket, or the network of the simulation. */
export interface Wire {
  /** Where the device is, for the log. */
  readonly address: string
  /** Takes packets for the device. False when the device reads too slowly: the carrier then holds them back. */
  write(packets: Buffer): boolean
  /** Calls `act` once, when everything that was held back has left, or when the connection has ended. */
  whenDrained(act: () => void): void
  /** So many packets of the device will be answers to the hub: they count against no limit. */
  expect(answers: number): void
  /** Closes the connection. The carrier answers with `Connection.closed`, once it has the connection. */
  close(): void
  /** As `close`, and discards what the device has not received. */
  reset(): void
}

/** A PUBLISH of a device, or the will that the carrier publishes for it. */
export interface Published extends PublishedPacket {
  /** None at QoS 0, and none for a will: nobody waits for its PUBACK. */
  messageId?: number
}

export type Link = ReturnType<typeof createLink>

/**
 * Writes the packets to one device: commands, and the PUBACKs to what it has published. All packets of one turn of the
 * event loop leave in one write. `onSlow` is called when the device reads too slowly: its connection must be closed.
 * `tracksConfirms`: keeps the sendings that wait for a PUBACK.
 *
 * Why not by Aedes: it writes each packet field by field, gathers them again, and continues in another turn after each.
 * Measured: 8 µs less of the hub's thread for an announcement and its two acks, of some 95 on the MQTT side.
 */
export function createLink(
  wire: Wire,
  { clock, tracksConfirms, onSlow }: { clock: Clock; tracksConfirms: boolean; onSlow: (why: string) => void },
) {
  let messageId = 0
  /** By message id. */
  const sendings = tracksConfirms ? new Map<number, Sending>() : undefined
  /** Packets without a PUBACK, in the order in which they came. */
  const unconfirmed: { messageId: number; isStored: boolean }[] = []
  /** Packets of this turn. */
  let unsent: Buffer[] = []
  let isSlow = false
  /** Bytes written since the device reads too slowly. */
  let unread = 0

  function send(packet: Buffer) {
    if (unsent.push(packet) === 1) process.nextTick(flush)
  }

  function flush() {
    const packets = unsent
    unsent = []
    const bytes = Buffer.concat(packets)
    if (wire.write(bytes)) return
    if (!isSlow) awaitDrain()
    unread += bytes.length
    if (unread > MAX_UNREAD_BYTES) onSlow('too many bytes unread')
  }

  function awaitDrain() {
    isSlow = true
    const cancel = clock.after(DRAIN_TIMEOUT_MS, () => onSlow('reads nothing'))
    wire.whenDrained(() => {
      isSlow = false
      unread = 0
      cancel()
    })
  }

  function confirm() {
    for (let first = unconfirmed[0]; first?.isStored; first = unconfirmed[0]) {
      unconfirmed.shift()
      send(Buffer.of(...PUBACK, first.messageId >> 8, first.messageId & 0xff))
    }
  }

  return {
    publish({ topic, payload }: Outgoing, sending?: Sending) {
      messageId = messageId === LAST_MESSAGE_ID ? 1 : messageId + 1
      wire.expect(ANSWERS)
      if (sending) sendings?.set(messageId, sending)
      send(publishPacket(topic, messageId, payload))
    },

    /** A PUBACK has come. Returns the sending that it confirms, once. */
    confirmed(id: number): Sending | undefined {
      const sending = sendings?.get(id)
      if (sending) sendings?.delete(id)
      return sending
    },

    /**
     * Call this as a packet comes in. The returned function sends its PUBACK, in the order in which the packets came
     * (MQTT 3.1.1, 4.6): a packet that is stored before an older one waits for the PUBACK of that.
     */
    received({ qos, messageId: given }: Published): () => void {
      if (qos !== 1 || given === undefined) return () => undefined
      const one = { messageId: given, isStored: false }
      unconfirmed.push(one)
      return () => {
        one.isStored = true
        confirm()
      }
    },

    /**
     * Ends the connection. Where PUBACKs are tracked, what has none must not arrive minutes later, when a line that has
     * stalled goes on: it is discarded.
     */
    close: () => (sendings && sendings.size > 0 ? wire.reset() : wire.close()),
    reset: () => wire.reset(),
  }
}

function publishPacket(topic: string, messageId: number, payload: Uint8Array): Buffer {
  const remaining = 2 + topic.length + 2 + payload.length
  const bytes = Buffer.allocUnsafe(1 + MAX_LENGTH_BYTES + remaining)
  let at = bytes.writeUInt8(PUBLISH_QOS_1)
  at = writeLength(bytes, at, remaining)
  at = bytes.writeUInt16BE(topic.length, at)
  // Topics are made of ASCII.
  at += bytes.write(topic, at, 'latin1')
  at = bytes.writeUInt16BE(messageId, at)
  bytes.set(payload, at)
  return bytes.subarray(0, at + payload.length)
}

/** MQTT 3.1.1, 2.2.3: seven bits to a byte, the lowest first, each but the last with its top bit set. */
function writeLength(bytes: Buffer, start: number, length: number): number {
  let at = start
  let rest = length
  while (rest >= 0x80) {
    at = bytes.writeUInt8((rest & 0x7f) | 0x80, at)
    rest >>= 7
  }
  return bytes.writeUInt8(rest, at)
}
