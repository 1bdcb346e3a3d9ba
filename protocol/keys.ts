import { createHash, hkdfSync } from 'node:crypto'

/**
 * Bytes of a device's secret K, printed as 43 characters of base64url when it is minted, and of each derived key
 * (sb/1 2.1).
 */
export const DEVICE_KEY_BYTES = 32

/** The three keys that both sides derive from K, 32 bytes each. */
export interface DeviceKeys {
  /** Becomes the MQTT password. The hub keeps only its SHA-256. */
  login: Buffer
  /** Authenticates frames from the hub to the device. */
  down: Buffer
  /** Authenticates frames from the device to the hub. */
  up: Buffer
}

/** HKDF-SHA256 (RFC 5869) of K with an empty salt; the info string separates the purposes (sb/1 2.2). */
export function deriveKeys(deviceKey: Buffer): DeviceKeys {
  return {
    login: derive(deviceKey, 'sb1/login'),
    down: derive(deviceKey, 'sb1/down'),
    up: derive(deviceKey, 'sb1/up'),
  }
}

/** The MQTT password: the login key in base64url without padding (sb/1 2.3). */
export function passwordOf(keys: DeviceKeys): string {
  return keys.login.toString('base64url')
}

/** What the hub stores and compares: SHA-256 of the login key. */
export function loginHash(login: Buffer): Buffer {
  return createHash('sha256').update(login).digest()
}

/** Reads 32 bytes written as unpadded base64url; undefined when the text is anything else. */
export function parseKey(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(text)) return undefined
  const key = Buffer.from(text, 'base64url')
  // The last character carries two unused bits: only the canonical spelling is a key.
  return key.toString('base64url') === text ? key : undefined
}

function derive(deviceKey: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', deviceKey, Buffer.alloc(0), info, DEVICE_KEY_BYTES))
}
