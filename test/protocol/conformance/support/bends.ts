import type { IConnectPacket, IPublishPacket, Packet } from 'mqtt-packet'
import { downPrefix, openFrame, sealFrame } from '../../../../protocol/frame.ts'
import { KEYS, SERIAL } from './device-under-test.ts'
import { type Bend, type Bends, bentLine, type Dial } from './line.ts'

/** Lines that make a well-behaved speaker look like one with a certain mistake. */

type Line = (dial: Dial) => Dial

/** The same on every connection. */
export function always(bends: Bends): Line {
  return (dial) => bentLine(dial, () => bends)
}

/** Another CONNECT. */
export function connects(change: (packet: IConnectPacket) => Partial<IConnectPacket>): Line {
  return always({
    up: (packet) => [packet.cmd === 'connect' ? { ...packet, ...change(packet) } : packet],
  })
}

/** Another will. */
export function wills(change: Partial<NonNullable<IConnectPacket['will']>>): Line {
  return connects(({ will }) => (will ? { will: { ...will, ...change } } : {}))
}

/** Messages of one kind changed, or replaced by several. */
export function publishes(
  kind: string,
  change: (packet: IPublishPacket) => readonly Packet[] | Partial<IPublishPacket>,
): Line {
  return always({
    up: (packet) => {
      if (packet.cmd !== 'publish' || !packet.topic.endsWith(`/${kind}`)) return [packet]
      const changed = change(packet)
      return isList(changed) ? changed : [{ ...packet, ...changed }]
    },
  })
}

function isList(changed: readonly Packet[] | Partial<IPublishPacket>): changed is readonly Packet[] {
  return Array.isArray(changed)
}

/** Without its last 32 bytes, closed again. */
export function withoutMac(payload: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(payload).subarray(0, -32), Buffer.from('}')])
}

/** A device that believes whatever `trusts` says: to it every such frame is sealed anew, as it `reads` it. */
export function trusting(trusts: Which, reads?: Reads): Line {
  return resealing((frame, sids) => !opensWith(frame, sids.at(-1) ?? '') && trusts(frame, sids), reads)
}

/** Chooses frames. `sids` are those of all sessions so far. */
type Which = (frame: Buffer, sids: readonly string[]) => boolean
type Reads = (body: object) => object

/** A device that reads some frames as if they were written and sealed anew. */
export function resealing(which: Which, reads: Reads = (body) => body): Line {
  // Over all connections: what was heard in an earlier session is known in the next.
  const sids: string[] = []
  return (dial) =>
    bentLine(dial, () => ({
      up: (packet) => {
        if (packet.cmd === 'connect') sids.push(sidOf(packet))
        return [packet]
      },
      down: (packet) => {
        if (packet.cmd !== 'publish') return [packet]
        const frame = Buffer.from(packet.payload)
        const sid = sids.at(-1) ?? ''
        return [which(frame, sids) ? { ...packet, payload: resealed(frame, sid, reads) } : packet]
      },
    }))
}

export function opensWith(frame: Buffer, sid: string): boolean {
  return openFrame(KEYS.down, downPrefix(SERIAL, sid), frame).ok
}

export function sidOf({ will }: IConnectPacket): string {
  return String(Object(JSON.parse(String(will?.payload ?? '{}'))).sid)
}

/** What a reader that does not care finds in the frame: the first object, its MAC left out. */
function resealed(frame: Buffer, sid: string, reads: (body: object) => object): Buffer {
  try {
    const text = frame.toString()
    const { mac: _, ...body } = Object(JSON.parse(text.slice(0, text.lastIndexOf('}') + 1)))
    return Buffer.from(sealFrame(KEYS.down, downPrefix(SERIAL, sid), reads(body)))
  } catch {
    return frame
  }
}

/** The device believes that its pings are answered; none of them leaves it. */
export const answersItsPings: Bend = (packet, { toDevice }) => {
  if (packet.cmd !== 'pingreq') return [packet]
  toDevice({ cmd: 'pingresp' })
  return []
}

/** A device that waits for the PUBACK of each message before it sends the next. */
export function oneInFlight(): Line {
  return (dial) =>
    bentLine(dial, () => {
      const waiting: Packet[] = []
      let isBusy = false
      return {
        up: (packet) => {
          if (packet.cmd === 'disconnect') return [...waiting.splice(0), packet]
          if (packet.cmd !== 'publish' || packet.qos === 0) return [packet]
          if (isBusy) {
            waiting.push(packet)
            return []
          }
          isBusy = true
          return [packet]
        },
        down: (packet, { toKit }) => {
          if (packet.cmd !== 'puback') return [packet]
          const next = waiting.shift()
          isBusy = next !== undefined
          if (next) toKit(next)
          return [packet]
        },
      }
    })
}
