import { createHmac } from 'node:crypto'
import type { IPublishPacket } from 'mqtt-packet'
import { downPrefix, openFrame, sealFrame, upPrefix } from '../../../../protocol/frame.ts'
import { type DeviceKeys, passwordOf } from '../../../../protocol/keys.ts'
import { sidOf } from './bends.ts'
import { KEYS, SERIAL } from './device-under-test.ts'
import { bentLine, type Dial } from './line.ts'

/** Lines behind which a device seals its frames in its own way. */

/** A frame before it gets its MAC. */
export interface Unsealed {
  /** The last level of its topic. */
  kind: string
  /** The JSON object without its closing brace. */
  signed: string
  sid: string
  /** The sids of all sessions, this one last. */
  sids: readonly string[]
}

type Line = (dial: Dial) => Dial

/** Seals frames of these kinds in another way. */
export function seals(
  write: (frame: Unsealed) => Uint8Array | string,
  kinds = ['birth', 'ack', 'settings'],
): Line {
  return resealing({ up: (frame) => (kinds.includes(frame.kind) ? Buffer.from(write(frame)) : undefined) })
}

/** The same in both directions: the device verifies no frame of the hub. */
export function sealsAndVerifies(write: (frame: Unsealed) => Uint8Array | string): Line {
  return resealing({ up: (frame) => Buffer.from(write(frame)), opens: () => false })
}

/** A device with other keys. */
export function withKeys(keys: DeviceKeys): Line {
  return resealing({
    password: passwordOf(keys),
    up: ({ signed, sid, kind }) =>
      Buffer.from(withMac(signed, macOf(keys.up, `sb1|up|${SERIAL}|${sid}|${kind}|`, signed))),
    opens: (frame, sid) => openFrame(keys.down, downPrefix(SERIAL, sid), frame).ok,
  })
}

/** A device that is in another session than its will says. */
export function inSession(sidFor: (sids: readonly string[]) => string): Line {
  return resealing({
    up: ({ signed, sids, kind }) =>
      Buffer.from(withMac(signed, macOf(KEYS.up, `sb1|up|${SERIAL}|${sidFor(sids)}|${kind}|`, signed))),
    opens: (frame, _sid, sids) => openFrame(KEYS.down, downPrefix(SERIAL, sidFor(sids)), frame).ok,
  })
}

/** Hears other fields than the hub has sent. Undefined: the same. */
export function hearsFrames(change: (body: Record<string, unknown>) => object | undefined): Line {
  return (dial) => {
    let sid = ''
    return bentLine(dial, () => ({
      up: (packet) => {
        if (packet.cmd === 'connect') sid = sidOf(packet)
        return [packet]
      },
      down: (packet) => {
        if (packet.cmd !== 'publish') return [packet]
        const opened = openFrame(KEYS.down, downPrefix(SERIAL, sid), Buffer.from(packet.payload))
        const changed = opened.ok ? change({ ...Object(opened.body) }) : undefined
        return [
          changed
            ? { ...packet, payload: Buffer.from(sealFrame(KEYS.down, downPrefix(SERIAL, sid), changed)) }
            : packet,
        ]
      },
    }))
  }
}

export const UP = (frame: Pick<Unsealed, 'kind' | 'sid'>) => `sb1|up|${SERIAL}|${frame.sid}|${frame.kind}|`

export function digestOf(key: Uint8Array, prefix: string, text: string): Buffer {
  return createHmac('sha256', key).update(prefix).update(text).digest()
}

export function macOf(key: Uint8Array, prefix: string, text: string): string {
  return digestOf(key, prefix, text).subarray(0, 16).toString('base64url')
}

export function withMac(signed: string, mac: string): string {
  return `${signed},"mac":"${mac}"}`
}

interface Resealing {
  password?: string
  up: (frame: Unsealed) => Buffer | undefined
  /** Whether the device believes a frame of the hub. Left out: as every device. */
  opens?: (frame: Buffer, sid: string, sids: readonly string[]) => boolean
}

function resealing({ password, up, opens }: Resealing): Line {
  const sids: string[] = []
  const sid = () => sids.at(-1) ?? ''
  return (dial) =>
    bentLine(dial, () => ({
      up: (packet) => {
        if (packet.cmd === 'connect') {
          sids.push(sidOf(packet))
          return [password === undefined ? packet : { ...packet, password: Buffer.from(password) }]
        }
        if (packet.cmd !== 'publish') return [packet]
        const payload = up(unsealed(packet, sids)) ?? packet.payload
        return [isSealed(packet) ? { ...packet, payload } : packet]
      },
      down: (packet) => {
        if (packet.cmd !== 'publish' || !opens) return [packet]
        const frame = Buffer.from(packet.payload)
        return [
          { ...packet, payload: opens(frame, sid(), sids) ? resealed(frame, sid()) : Buffer.from('{}') },
        ]
      },
    }))
}

function isSealed({ topic }: IPublishPacket): boolean {
  return /\/(birth|ack|settings)$/.test(topic)
}

function unsealed({ topic, payload }: IPublishPacket, sids: readonly string[]): Unsealed {
  const kind = topic.slice(topic.lastIndexOf('/') + 1)
  return { kind, signed: String(payload).slice(0, -32), sid: sids.at(-1) ?? '', sids }
}

function resealed(frame: Buffer, sid: string): Buffer {
  const { mac: _, ...body } = Object(JSON.parse(frame.toString()))
  return Buffer.from(sealFrame(KEYS.down, downPrefix(SERIAL, sid), body))
}

/** A birth or ack with other fields, sealed as it should be. */
export function rewrites(
  kind: 'birth' | 'ack' | 'settings',
  change: (body: Record<string, unknown>) => object,
): Line {
  return seals(
    ({ signed, sid }) =>
      sealFrame(KEYS.up, upPrefix(SERIAL, sid, kind), change(Object(JSON.parse(`${signed}}`)))),
    [kind],
  )
}
