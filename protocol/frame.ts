import { bytesOf, hmacSha256, isSame, textOf, toBase64url } from '#platform'
import type { UpKind } from './topics.ts'

/**
 * A frame is one JSON object whose last 32 bytes are `,"mac":"<22 characters>"}`. The MAC covers a prefix (direction,
 * device and session) and the bytes before those 32. The receiver verifies the bytes before it parses them, so JSON
 * needs no canonical form (sb/1 5.1, sb/1 5.2).
 */

const MAC_BYTES = 16
const TAIL = /^,"mac":"[A-Za-z0-9_-]{22}"\}$/
const TAIL_BYTES = 32

/** A session id: 16 lower-case hex characters, random, new for each CONNECT (sb/1 3.1). */
export const SID_PATTERN = /^[0-9a-f]{16}$/

/** The prefix that binds a command to a device and one of its sessions. */
export function downPrefix(serial: string, sid: string): string {
  return `sb1|down|${serial}|${sid}|`
}

/** The prefix that binds a device's message to its session and its topic. */
export function upPrefix(serial: string, sid: string, kind: UpKind): string {
  return `sb1|up|${serial}|${sid}|${kind}|`
}

export type OpenedFrame =
  | { ok: true; body: unknown }
  | { ok: false; reason: 'no_mac' | 'bad_mac' | 'bad_json' }

/** Serializes an object as a frame, with its MAC as the last field. */
export function sealFrame(key: Uint8Array, prefix: string, body: object): Uint8Array {
  const json = JSON.stringify(body)
  if (json.length < 3) throw new RangeError('a frame has at least one field before its mac')
  return sealText(key, prefix, json.slice(0, -1))
}

/** Seals JSON text: an object without its closing brace. */
export function sealText(key: Uint8Array, prefix: string, signed: string): Uint8Array {
  return bytesOf(signed + tailOf(key, prefix, bytesOf(signed)))
}

/** Verifies a frame, then parses it. Never parses an unverified frame (sb/1 5.3). */
export function openFrame(
  key: Uint8Array,
  prefix: string,
  payload: Uint8Array,
  parse: (text: string) => unknown = JSON.parse,
): OpenedFrame {
  if (payload.length <= TAIL_BYTES) return { ok: false, reason: 'no_mac' }
  const tail = payload.subarray(-TAIL_BYTES)
  // 22 characters carry 132 bits and the MAC has 128. Comparing the characters accepts only one spelling.
  if (isSame(tail, bytesOf(tailOf(key, prefix, payload.subarray(0, -TAIL_BYTES)))))
    return parseObject(payload, parse)
  return { ok: false, reason: TAIL.test(textOf(tail)) ? 'bad_mac' : 'no_mac' }
}

/** Parses a message without a MAC (will, telemetry). */
export function parsePlain(payload: Uint8Array, parse: (text: string) => unknown = JSON.parse): OpenedFrame {
  return parseObject(payload, parse)
}

/** Parses JSON as a device must: `42.0`, `4.2e1` and `-0` become NaN, which no field of a message allows (sb/1 9.4). */
export function parseDigits(text: string): unknown {
  const reviver = (_name: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && !/^(0|-?[1-9][0-9]*)$/.test(context?.source ?? '') ? Number.NaN : value
  return JSON.parse(text, reviver)
}

/**
 * Bytes of a whole QoS 1 PUBLISH: fixed header, topic in ASCII, packet identifier and payload (MQTT 3.1.1, 3.3).
 */
export function publishBytes(topic: string, payload: Uint8Array): number {
  const remaining = 2 + topic.length + 2 + payload.length
  const lengthBytes = remaining < 128 ? 1 : remaining < 16_384 ? 2 : remaining < 2_097_152 ? 3 : 4
  return 1 + lengthBytes + remaining
}

/** The last 32 bytes of a frame, which are ASCII. */
function tailOf(key: Uint8Array, prefix: string, signed: Uint8Array): string {
  return `,"mac":"${toBase64url(hmacSha256(key, prefix, signed).subarray(0, MAC_BYTES))}"}`
}

function parseObject(payload: Uint8Array, parse: (text: string) => unknown): OpenedFrame {
  try {
    const body = parse(textOf(payload))
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ok: true, body }
  } catch {
    // Fall through: invalid JSON and other JSON values are refused alike.
  }
  return { ok: false, reason: 'bad_json' }
}
