import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mintDevice } from '../../../server/devices/mint-devices.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { createPartner } from '../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openPostgresStorage } from '../../../server/storage/postgres/storage.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { OPERATOR } from '../actors.ts'
import { signedCallback } from '../callback.ts'
import { connectPartner } from '../http/partner-client.ts'
import type { Minted } from '../mqtt/mqtt-device.ts'
import { shopWith } from '../mqtt/obedient-device.ts'
import { layDatabase, TEST_MASTER_KEY } from '../storage.ts'
import { storageOptions } from '../storage-options.ts'
import { startHubProcess } from './process.ts'

/**
 * Makes a partner and devices in the database that the settings of a hub name. As the commands do, whether a hub runs
 * there or not; a process for each would take as long as a hub's start.
 */
export async function minted(env: Record<string, string>, serial = 'SB-0001', ...serials: string[]) {
  const ids = createRandomIds()
  const storage = await openStorage(env, storageOptions({ vault: createVault(TEST_MASTER_KEY), ids }))
  const deps = { by: OPERATOR, clock: systemClock, ids }
  const mint = async (one: string): Promise<Minted> => {
    const made = await mintDevice({ devices: storage.devices, loginHash: sb1.loginHash, ...deps }, one)
    if (!made) throw new Error(`the serial ${one} is taken`)
    return made
  }
  const partner = await createPartner({ partners: storage.partners, ...deps }, 'Acme')
  const device = await mint(serial)
  const others = await Promise.all(serials.map(mint))
  await storage.close()
  return { partner, device, others }
}

function openStorage(
  { HUB_DATABASE_URL: url, HUB_DATA_DIR: folder = '' }: Record<string, string>,
  options: ReturnType<typeof storageOptions> & { vault: ReturnType<typeof createVault> },
): Promise<Storage> | Storage {
  if (url !== undefined) return openPostgresStorage(url, options)
  const file = join(folder, 'hub.db')
  if (!existsSync(file)) layDatabase(file)
  return openSqliteStorage(file, options)
}

/** A hub in a process of its own, a partner, and its shop with a speaker that obeys. `pay` reports a payment of now. */
export async function startShop(env: Record<string, string>, serial?: string) {
  const { partner, device } = await minted(env, serial)
  const hub = await startHubProcess(env)
  const client = await connectPartner(() => hub.http, partner)
  const born = await shopWith(hub, client, device)
  const payDate = new Date().toISOString()
  const pay = (ftCode: string) =>
    client.call('POST', '/payment/callback', signedCallback(partner.clientSecret, { ftCode, payDate }))
  return { hub, partner, device, client, born, pay }
}
