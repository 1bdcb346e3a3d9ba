import { randomBytes, randomFillSync, randomInt } from 'node:crypto'
import { monotonicFactory } from 'ulid'
import { v7 as uuidv7 } from 'uuid'

/** Every identifier and secret that the hub makes up. A parameter, so that a test or a simulation can fix them. */
export interface Ids {
  /** UUID version 7: unique, and new rows land at the end of an index. */
  uuid(): string
  /** ULID of a command, rising within a process. */
  commandId(): string
  clientId(): string
  clientSecret(): string
  accessToken(): string
  refreshToken(): string
  /** Six decimal digits, each value equally likely. */
  verificationCode(): string
  /** A serial for a device that was minted without one. */
  serial(): string
  /** A device's 32-byte key. */
  deviceKey(): Buffer
}

/** The prefixes let a secret scanner and a person recognise what leaked. */
const PREFIX = { client: 'sbc_', secret: 'sbs_', access: 'sba_', refresh: 'sbr_' } as const

export function createRandomIds(): Ids {
  const ulid = monotonicFactory(createPooledFractions())
  const uuid = { rng: createPooledBytes(16) }
  const secret = (prefix: string, bytes: number) => prefix + randomBytes(bytes).toString('base64url')
  return {
    uuid: () => uuidv7(uuid),
    commandId: () => ulid(),
    clientId: () => PREFIX.client + randomBytes(9).toString('hex'),
    clientSecret: () => secret(PREFIX.secret, 32),
    accessToken: () => secret(PREFIX.access, 32),
    refreshToken: () => secret(PREFIX.refresh, 32),
    verificationCode: () => String(randomInt(1_000_000)).padStart(6, '0'),
    serial: () => `SB-${randomBytes(5).toString('hex').toUpperCase()}`,
    deviceKey: () => randomBytes(32),
  }
}

/*
 * Random bytes are drawn for many ids at once, because asking the system costs more than all else about an id.
 * Secrets are drawn one by one: no pool holds what a later one will be.
 */
const POOLED = 1024

/** Random numbers in [0, 1): a ULID takes sixteen. */
function createPooledFractions(): () => number {
  const pool = new Uint32Array(POOLED)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    const value = pool[next] ?? 0
    next += 1
    return value / 2 ** 32
  }
}

function createPooledBytes(size: number): () => Uint8Array {
  const pool = new Uint8Array(POOLED * size)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      randomFillSync(pool)
      next = 0
    }
    next += size
    return pool.subarray(next - size, next)
  }
}
