import { HubError } from '../../../platform/errors.ts'
import { ForeignKey, keyIdOf, type Vault } from '../../../security/vault.ts'
import { unavailable } from '../../shared/storage-errors.ts'
import type { Tx } from './pool.ts'

/** After that the next write asks again which key seals, and does not wait for the answer. */
const ASK_AGAIN_MS = 1_000
/** After that it waits for the answer. */
const STALE_MS = 5_000
/** Nothing is sealed by an older answer: the process was stopped since then. */
const VOID_MS = 10_000

class KeyOutdated extends Error {
  constructor() {
    super(`it is not known for ${VOID_MS / 1_000} s which master key seals`)
  }
}

/** Whether a seal was refused because the answer is too old: the transaction can run again when the key is known. */
export function isKeyOutdated(error: unknown): boolean {
  return error instanceof HubError && error.cause instanceof KeyOutdated
}

/**
 * The vault of a database whose master key may change while hubs run: the canary tells which key seals. Ten seconds after
 * a change, no process seals under the previous key, not even one that was stopped meanwhile.
 */
export function createKeyInForce(keys: Vault, read: Tx['query']) {
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  async function askNow() {
    const at = performance.now()
    const [canary] = await read<{ sealed: Buffer }>('keys.inForce', 'SELECT sealed FROM vault_canary')
    if (!canary) return
    keys.sealUnder(keyIdOf(canary.sealed))
    askedAt = at
  }

  /** Asks which key seals. Throws UNAVAILABLE when this process does not have it. */
  async function ask() {
    asking ??= askNow().finally(() => {
      asking = undefined
    })
    await asking
    foreignIsUnavailable(() => keys.fingerprint('', ''))
  }

  const vault: Vault = {
    ...keys,
    seal(place, plain) {
      if (performance.now() - askedAt >= VOID_MS) throw unavailable(new KeyOutdated())
      return foreignIsUnavailable(() => keys.seal(place, plain))
    },
    open: (place, sealed) => foreignIsUnavailable(() => keys.open(place, sealed)),
    fingerprint: (purpose, value) => foreignIsUnavailable(() => keys.fingerprint(purpose, value)),
    fingerprints: (purpose, value) => foreignIsUnavailable(() => keys.fingerprints(purpose, value)),
  }

  return {
    vault,
    ask,
    /** Call it before a transaction that may seal. It waits only when the last answer is old. */
    async know() {
      const age = performance.now() - askedAt
      if (age < ASK_AGAIN_MS) return
      if (age >= STALE_MS) return ask()
      ask().catch(() => undefined)
    },
  }
}

/** Another hub may have the key. */
function foreignIsUnavailable<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw error instanceof ForeignKey ? unavailable(error) : error
  }
}
