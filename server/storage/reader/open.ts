import { createVault, type Vault } from '../../security/vault.ts'
import type { StorageOptions } from '../options.ts'
import type { Storage, StoragePlace, StoragePorts } from '../ports.ts'
import { type CallAct, withActsBy } from '../writer/acts.ts'

/**
 * Opens a storage in another thread of the hub, to read alone, on connections of its own. `call` carries out the acts that
 * write: it has them carried out by the thread of the hub.
 */
export async function openToRead(
  place: StoragePlace,
  call: CallAct,
  options: Omit<StorageOptions, 'vault'>,
): Promise<{ ports: StoragePorts; vault: Vault; close: Storage['close'] }> {
  const [first = new Uint8Array(), ...others] = place.masterKeys
  const vault = createVault(Buffer.from(first), ...others.map((key) => Buffer.from(key)))
  const { changes, writesWaiting, ping, close, ...ports } = await lookInto(place, { ...options, vault })
  return { ports: withActsBy(call, ports), vault, close }
}

async function lookInto(place: StoragePlace, options: StorageOptions): Promise<Storage> {
  if ('file' in place) {
    const { lookIntoSqliteStorage } = await import('../sqlite/storage.ts')
    return lookIntoSqliteStorage(place.file, options)
  }
  const { lookIntoPostgresStorage } = await import('../postgres/storage.ts')
  return lookIntoPostgresStorage(place.url, options)
}
