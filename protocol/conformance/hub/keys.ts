import { hkdfSync } from 'node:crypto'
import { toBase64url } from '#platform'
import { deriveKeys, maskKey, passwordOf } from '../../keys.ts'
import type { Identity } from '../likely/identity.ts'

/**
 * The two keys of the device: the given one, and one that the kit derives from it for its cases of `rekey`. It is always
 * the same, so that an interrupted run can be repeated. The kit accepts both.
 */
export class DeviceKeyring {
  readonly #first: Identity
  readonly #second: Identity
  /** The key of the session in which the latest `rekey` was sent. */
  #old: Identity

  constructor(first: Identity) {
    const info = 'sb1 conformance kit'
    const key = Buffer.from(hkdfSync('sha256', first.key, Buffer.alloc(0), info, first.key.length))
    this.#first = first
    this.#second = { serial: first.serial, key, keys: deriveKeys(key) }
    this.#old = first
  }

  /** The key that a password belongs to; the first one if it belongs to none. */
  of(password: string): Identity {
    return password === passwordOf(this.#second.keys) ? this.#second : this.#first
  }

  /** Whether this is the key before the latest `rekey`, or the other one. */
  nameOf(identity: Identity): 'old' | 'new' {
    return identity === this.#old ? 'old' : 'new'
  }

  /** `d.key` of a `rekey` in a session under this key. */
  masked(session: Identity, id: string, which: unknown): string {
    this.#old = session
    const other = session === this.#first ? this.#second : this.#first
    const next = which === 'old' ? session : other
    return toBase64url(maskKey(session.key, id, next.key))
  }
}
