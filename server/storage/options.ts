import type { Clock } from '../platform/clock.ts'
import type { Vault } from '../security/vault.ts'
import type { StorageCircuit } from './circuit.ts'
import type { StorageIds, StorageObserver } from './ports.ts'
import type { StorageRules } from './rules.ts'

export interface StorageOptions {
  vault: Vault
  ids: StorageIds
  clock: Pick<Clock, 'after'>
  rules: StorageRules
  observe?: StorageObserver
  /** Without it, acts wait for as long as the disk or the server takes. A storage in the caller's thread has none. */
  circuit?: StorageCircuit
}
