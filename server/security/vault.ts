import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { createRandomPool } from '../platform/random-pool.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_BYTES = 4
const VERSION = 1

/**
 * Encrypts secrets and personal numbers for the database file. Each value is sealed with AES-256-GCM and bound to its
 * place (`table/row/column`): a value that is copied to another row can't be opened.
 */
export interface Vault {
  seal(place: string, plain: string | Buffer): Buffer
  /** Throws if the value was changed, moved to another place, or sealed under another master key. */
  open(place: string, sealed: Buffer): Buffer
  /** A keyed hash for finding equal values without storing them in plain text. */
  fingerprint(purpose: string, value: string): Buffer
}

/** Derives the vault's keys from the 32-byte master key with HKDF-SHA256. */
export function createVault(masterKey: Buffer): Vault {
  const sealing = derive(masterKey, 'hub/seal')
  const hashing = derive(masterKey, 'hub/fingerprint')
  const keyId = createHash('sha256').update(sealing.export()).digest().subarray(0, KEY_ID_BYTES)
  const header = Buffer.concat([Buffer.from([VERSION]), keyId])
  // Random IVs of 96 bits. NIST SP 800-38D, 8.3, allows 2^32 of them under one key: rotate the key before that.
  const nextIv = createRandomPool(IV_BYTES)

  return {
    seal(place, plain) {
      const iv = nextIv()
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(place))
      return Buffer.concat([header, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(place, sealed) {
      // The header is plain text in the file, so this comparison needs no constant time.
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

/** Compares hashes or MACs in constant time. Their length is not secret. */
export function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Returns a KeyObject: with a Buffer, Node builds one for every cipher, which costs more than the cipher. */
function derive(masterKey: Buffer, info: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), info, 32)))
}
