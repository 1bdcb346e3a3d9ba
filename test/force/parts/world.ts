import { join } from 'node:path'
import { createPartner } from '../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { createShop, type LinkedSpeaker } from '../../server/storage/shop.ts'
import { OPERATOR } from '../../support/actors.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type OwnHub, type OwnHubOptions, startOwnHub } from '../../support/processes/own-hub.ts'
import { createHistory, type History } from '../../support/proof/history.ts'
import { createProcessor, type Processor } from '../../support/proof/processor.ts'
import { randomFrom } from '../../support/random.ts'
import { storageOptions } from '../../support/storage-options.ts'
import type { Stage } from '../scenario.ts'

/** Shops that are created together: they share commits. */
const MADE_AT_ONCE = 200

export interface Shop extends LinkedSpeaker {
  terminalID: string
}

/** A partner with its processor, shops whose speakers are still off, and the records of both. */
export interface Proven {
  /** A second connection to the hub's database, as the command line opens it. */
  storage: Storage
  clientId: string
  processor: Processor
  /** What the processor and the speakers have seen. */
  history: History
  shops: Shop[]
  random: () => number
}

/** The same with one hub in its own process. */
export interface World extends Proven {
  dataDir: string
  masterKey: Buffer
  hub: OwnHub
}

export interface WorldOptions extends Partial<Pick<OwnHubOptions, 'env' | 'launch' | 'enter'>> {
  shops: number
  seed?: number
  /** Where the hub keeps its data; a temporary folder when left out. */
  dataDir?: string
  /** Called before the hub starts, while nobody has its files open. */
  prepared?: (dataDir: string) => void
  /** Makes other shops of the same partner. */
  makeMore?: (storage: Storage, clientId: string) => Promise<void>
}

export async function openWorld(options: WorldOptions, { onEnd }: Pick<Stage, 'onEnd'>): Promise<World> {
  const { shops: count, seed = 1, dataDir = temporaryFolder(onEnd), prepared, makeMore, ...launch } = options
  const ids = createRandomIds()
  const masterKey = ids.deviceKey()
  // Made before the hub runs, as an operator may: it has the file to itself, which is quicker.
  const open = () =>
    openSqliteStorage(join(dataDir, 'hub.db'), storageOptions({ vault: createVault(masterKey), ids }))
  const first = open()
  onEnd(() => first.close())
  const partner = await createPartner(
    { by: OPERATOR, partners: first.partners, clock: systemClock, ids },
    'Force',
  )
  const shops = await makeShops(first, partner.clientId, count)
  await makeMore?.(first, partner.clientId)
  first.close()
  prepared?.(dataDir)

  const history = createHistory()
  const hub = await startOwnHub({ dataDir, masterKey, note: history.note, ...launch })
  onEnd(() => hub.kill())
  const storage = open()
  onEnd(() => storage.close())
  const random = randomFrom(seed)
  const processor = await createProcessor({ base: hub.http, ...partner, random, note: history.note })
  const { clientId } = partner
  return { dataDir, masterKey, hub, storage, clientId, processor, history, shops, random }
}

export async function makeShops(
  storage: Storage,
  clientId: string,
  count: number,
  { atOnce = MADE_AT_ONCE, name = 'TILL' } = {},
): Promise<Shop[]> {
  const shop = createShop(storage)
  const made: Shop[] = []
  while (made.length < count) {
    const more = Math.min(atOnce, count - made.length)
    const batch = Array.from({ length: more }, async (_, index) => {
      const terminalID = `${name}-${made.length + index + 1}`
      return { ...(await shop.speaker(clientId, terminalID, Date.now())), terminalID }
    })
    made.push(...(await Promise.all(batch)))
  }
  return made
}
