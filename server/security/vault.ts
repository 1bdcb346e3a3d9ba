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
import { createRandomPool } from '../platform/ids.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_ID_BYTES = 4
const VERSION = 1

/**
 * Encrypts secrets and personal numbers for the database. Each value is sealed with AES-256-GCM and bound to its place
 * (`table/row/column`): a value that is copied to another row can't be opened. A vault opens under each of its master
 * keys, and seals under one.
 */
export interface Vault {
  /** The ids of its keys: see `keyIdOf`. */
  readonly keyIds: readonly string[]
  /** Throws ForeignKey while the vault does not have the key to seal under. */
  seal(place: string, plain: string | Buffer): Buffer
  /** Throws if the value was changed or moved to another place. Throws ForeignKey if the vault does not have its key. */
  open(place: string, sealed: Buffer): Buffer
  /** A keyed hash for finding equal values without storing them in plain text. */
  fingerprint(purpose: string, value: string): Buffer
  /** The hash under each key. The first is that of `fingerprint`. */
  fingerprints(purpose: string, value: string): [Buffer, ...Buffer[]]
  /** Seals under the key of this id from now on. */
  sealUnder(keyId: string): void
}

/** A value is sealed under a master key that the vault does not have, or has to be. */
export class ForeignKey extends Error {
  constructor(keyId: string) {
    super(`this value needs another master key (${keyId})`)
  }
}

/** The id of the master key of a sealed value: 8 hexadecimal digits, from which the key can't be found. */
export function keyIdOf(sealed: Buffer): string {
  return sealed.toString('hex', 1, 1 + KEY_ID_BYTES)
}

/** A vault of 32-byte master keys. It seals under the first, until `sealUnder` names another. */
export function createVault(masterKey: Buffer, ...others: Buffer[]): Vault {
  const first = deriveKey(masterKey)
  const keys = new Map([first, ...others.map(deriveKey)].map((key) => [key.id, key]))
  let sealing: MasterKey | undefined = first
  let sealingId = first.id
  // Random IVs of 96 bits. NIST SP 800-38D, 8.3, allows 2^32 of them under one key: rotate the key before that.
  const nextIv = createRandomPool(IV_BYTES)

  function sealingKey(): MasterKey {
    if (!sealing) throw new ForeignKey(sealingId)
    return sealing
  }

  /** Nearly all values are under the key that seals. The header is no secret: it needs no constant time. */
  function keyOf(sealed: Buffer): MasterKey {
    const isOf = ({ header }: MasterKey) => sealed.subarray(0, header.length).equals(header)
    if (sealing && isOf(sealing)) return sealing
    const key = [...keys.values()].find(isOf)
    if (!key) throw new ForeignKey(keyIdOf(sealed))
    return key
  }

  return {
    keyIds: [...keys.keys()],
    seal(place, plain) {
      const key = sealingKey()
      const iv = nextIv()
      const cipher = createCipheriv('aes-256-gcm', key.sealing, iv).setAAD(Buffer.from(place))
      return Buffer.concat([key.header, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(place, sealed) {
      const key = keyOf(sealed)
      const start = key.header.length
      const iv = sealed.subarray(start, start + IV_BYTES)
      const body = sealed.subarray(start + IV_BYTES, -TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key.sealing, iv, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(body), decipher.final()])
    },
    fingerprint: (purpose, value) => hashUnder(sealingKey(), purpose, value),
    fingerprints(purpose, value) {
      const first = sealingKey()
      const others = [...keys.values()].filter((key) => key !== first)
      return [hashUnder(first, purpose, value), ...others.map((key) => hashUnder(key, purpose, value))]
    },
    sealUnder(keyId) {
      sealing = keys.get(keyId)
      sealingId = keyId
    },
  }
}

/** Compares hashes or MACs in constant time. Their length is not secret. */
export function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** What a master key is used as. */
interface MasterKey {
  id: string
  /** The first bytes of every value that is sealed under it: the version of the form, and the id of the key. */
  header: Buffer
  sealing: KeyObject
  hashing: KeyObject
}

/** Derives the keys from the 32-byte master key with HKDF-SHA256. */
function deriveKey(masterKey: Buffer): MasterKey {
  const [sealing, hashing] = [derive(masterKey, 'hub/seal'), derive(masterKey, 'hub/fingerprint')]
  const id = createHash('sha256').update(sealing.export()).digest().subarray(0, KEY_ID_BYTES)
  return { id: id.toString('hex'), header: Buffer.concat([Buffer.from([VERSION]), id]), sealing, hashing }
}

/** Returns a KeyObject: with a Buffer, Node builds one for every cipher, which costs more than the cipher. */
function derive(masterKey: Buffer, info: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), info, 32)))
}

function hashUnder({ hashing }: MasterKey, purpose: string, value: string): Buffer {
  return createHmac('sha256', hashing).update(`${purpose}|${value}`).digest()
}
