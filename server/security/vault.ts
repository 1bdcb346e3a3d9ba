import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_BYTES = 4
const VERSION = 1
/** IVs drawn at once: asking the system for each would be a third of what a seal costs. */
const POOLED_IVS = 256

/**
 * Keeps secrets and personal numbers unreadable in the database file. Each value is sealed with AES-256-GCM
 * and bound to its place (`table/row/column`), so that a value copied to another row does not open.
 */
export interface Vault {
  seal(place: string, plain: string | Buffer): Buffer
  /** Throws when the value was altered, moved, or sealed under another master key. */
  open(place: string, sealed: Buffer): Buffer
  /** A keyed hash: finds equal values without keeping them readable. */
  fingerprint(purpose: string, value: string): Buffer
}

/** Builds the vault from the 32-byte master key; the keys it uses are derived from that by HKDF-SHA256. */
export function createVault(masterKey: Buffer): Vault {
  const sealing = derive(masterKey, 'hub/seal')
  const hashing = derive(masterKey, 'hub/fingerprint')
  const keyId = createHash('sha256').update(sealing.export()).digest().subarray(0, KEY_ID_BYTES)
  const header = Buffer.concat([Buffer.from([VERSION]), keyId])
  const nextIv = createIvs()

  return {
    seal(place, plain) {
      const iv = nextIv()
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(place))
      return Buffer.concat([header, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(place, sealed) {
      // The header stands readable in the file: there is nothing that the time of this look could tell.
      if (!sealed.subarray(0, header.length).equals(header))
        throw new Error('this value was sealed under another master key')
      const iv = sealed.subarray(header.length, header.length + IV_BYTES)
      const body = sealed.subarray(header.length + IV_BYTES, -TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', sealing, iv, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(body), decipher.final()])
    },
    fingerprint(purpose, value) {
      return createHmac('sha256', hashing).update(`${purpose}|${value}`).digest()
    },
  }
}

/**
 * Compares hashes, MACs and the like in a time that says nothing about where they differ. Their length is no
 * secret.
 */
export function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Random IVs of 96 bits; NIST SP 800-38D, 8.3, allows 2^32 of them under one key: rotate it before. */
function createIvs(): () => Buffer {
  const pool = Buffer.alloc(IV_BYTES * POOLED_IVS)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    const iv = pool.subarray(next, next + IV_BYTES)
    next += IV_BYTES
    return iv
  }
}

/** A key object, because Node otherwise wraps the bytes anew for every cipher, which costs more than the cipher. */
function derive(masterKey: Buffer, info: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), info, 32)))
}
