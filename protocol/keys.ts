import { fromBase64url, hmacSha256, toBase64url } from '#platform'

/** Size of a device's secret K (sb/1 2.1) and of each derived key. K is printed as 43 characters of base64url. */
export const DEVICE_KEY_BYTES = 32

/** The three keys that hub and device derive from K, 32 bytes each. */
export interface DeviceKeys {
  /** The MQTT password. The hub stores only its SHA-256. */
  login: Uint8Array
  /** Authenticates frames from the hub to the device. */
  down: Uint8Array
  /** Authenticates frames from the device to the hub. */
  up: Uint8Array
}

/** HKDF-SHA256 (RFC 5869) of K with an empty salt and one info string per key (sb/1 2.2). */
export function deriveKeys(deviceKey: Uint8Array): DeviceKeys {
  const derive = deriveFrom(deviceKey)
  return { login: derive('sb1/login'), down: derive('sb1/down'), up: derive('sb1/up') }
}

/** The MQTT password: the login key in base64url without padding (sb/1 2.3). */
export function passwordOf(keys: DeviceKeys): string {
  return toBase64url(keys.login)
}

/** Parses 32 bytes of unpadded base64url. Returns undefined for any other text. */
export function parseKey(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) return undefined
  const key = fromBase64url(text)
  // The last character has two unused bits. Accept only the canonical spelling.
  return toBase64url(key) === text ? key : undefined
}

/** Shows that a device has this serial and this K (sb/1 2.5): 22 characters of base64url that do not reveal K. */
export function proofOf(serial: string, deviceKey: Uint8Array): string {
  return toBase64url(deriveFrom(deviceKey)(`sb1/proof|${serial}`).subarray(0, 16))
}

/**
 * Hides the next K on its way to the device, and shows it again there: both are the same XOR (sb/1 2.6). `deviceKey` is
 * the K of the session and `commandId` the id of the `rekey`.
 */
export function maskKey(deviceKey: Uint8Array, commandId: string, nextKey: Uint8Array): Uint8Array {
  const pad = deriveFrom(deviceKey)(`sb1/rekey|${commandId}`)
  return nextKey.map((byte, index) => byte ^ (pad[index] ?? 0))
}

const NO_SALT = new Uint8Array()
/** RFC 5869, 2.3: the first block of an output, which is as long as a key. */
const FIRST_BLOCK = Uint8Array.of(1)

/**
 * HKDF-SHA256 with an empty salt: extracts from the key once, and expands to 32 bytes for each info string.
 *
 * Why not hkdfSync: on Node.js 24 it takes 15 µs for a key, this 3. A connect needs three. The vectors compare them.
 */
function deriveFrom(deviceKey: Uint8Array): (info: string) => Uint8Array {
  const extracted = hmacSha256(NO_SALT, '', deviceKey)
  // A copy: a session keeps its keys, and a slice of Node's pool would keep the whole pool.
  return (info) => new Uint8Array(hmacSha256(extracted, info, FIRST_BLOCK))
}
