import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { UpKind } from './topics.ts'

/**
 * A frame is one JSON object whose last 32 bytes are `,"mac":"<22 characters>"}`. The MAC covers a prefix
 * (who, in which session, in which direction) and the bytes before those 32, so a frame is verified before
 * it is parsed and needs no canonical form (sb/1 5.1, sb/1 5.2).
 */

const MAC_BYTES = 16
const TAIL = /^,"mac":"([A-Za-z0-9_-]{22})"\}$/
const TAIL_BYTES = 32

/** A session id: 16 lower-case hex characters, random, new for each CONNECT (sb/1 3.1). */
export const SID_PATTERN = /^[0-9a-f]{16}$/

/** The prefix that binds a command to a device and one of its sessions. */
export function downPrefix(serial: string, sid: string): string {
  return `sb1|down|${serial}|${sid}|`
}

/** The prefix that binds a device's message to its session and to the topic it travels on. */
export function upPrefix(serial: string, sid: string, kind: UpKind): string {
  return `sb1|up|${serial}|${sid}|${kind}|`
}

export type OpenedFrame =
  | { ok: true; body: unknown }
  | { ok: false; reason: 'no_mac' | 'bad_mac' | 'bad_json' }

/** Writes a frame: the object as JSON with its MAC as the last field. */
export function sealFrame(key: Buffer, prefix: string, body: object): Buffer {
  const json = JSON.stringify(body)
  if (json.length < 3) throw new RangeError('a frame has at least one field before its mac')
  return sealText(key, prefix, json.slice(0, -1))
}

/** Writes a frame around its text up to the MAC, which is one JSON object without its closing brace. */
export function sealText(key: Buffer, prefix: string, signed: string): Buffer {
  const mac = macOf(key, prefix, Buffer.from(signed)).toString('base64url')
  return Buffer.from(`${signed},"mac":"${mac}"}`)
}

/** Verifies a frame, then parses it. Nothing of an unverified frame is ever looked at (sb/1 5.3). */
export function openFrame(key: Buffer, prefix: string, payload: Buffer): OpenedFrame {
  if (payload.length <= TAIL_BYTES) return { ok: false, reason: 'no_mac' }
  const signed = payload.subarray(0, -TAIL_BYTES)
  const mac = TAIL.exec(payload.subarray(-TAIL_BYTES).toString('latin1'))?.[1]
  if (!mac) return { ok: false, reason: 'no_mac' }
  const expected = macOf(key, prefix, signed)
  // 22 characters carry 132 bits for 128: only the canonical spelling counts, so a frame has one form.
  const received = Buffer.from(mac, 'base64url')
  if (!timingSafeEqual(expected, received) || received.toString('base64url') !== mac)
    return { ok: false, reason: 'bad_mac' }
  return parseObject(payload)
}

/** Parses a frame that carries no MAC by design (the will, telemetry). */
export function parsePlain(payload: Buffer): OpenedFrame {
  return parseObject(payload)
}

/** Bytes of a whole QoS 1 PUBLISH: fixed header, topic, packet identifier and payload (MQTT 3.1.1, 3.3). */
export function publishBytes(topic: string, payload: Buffer): number {
  const remaining = 2 + Buffer.byteLength(topic) + 2 + payload.length
  const lengthBytes = remaining < 128 ? 1 : remaining < 16_384 ? 2 : remaining < 2_097_152 ? 3 : 4
  return 1 + lengthBytes + remaining
}

function macOf(key: Buffer, prefix: string, signed: Buffer): Buffer {
  // As a key object, because Node.js 24 takes five times as long to find out that a buffer is none.
  const mac = createHmac('sha256', createSecretKey(key)).update(prefix, 'ascii').update(signed)
  return mac.digest().subarray(0, MAC_BYTES)
}

function parseObject(payload: Buffer): OpenedFrame {
  try {
    const body: unknown = JSON.parse(payload.toString('utf8'))
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ok: true, body }
  } catch {
    // Falls through: what is not JSON and what is not an object are refused alike.
  }
  return { ok: false, reason: 'bad_json' }
}
