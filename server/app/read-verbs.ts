import { createAbilities } from '../dialects/abilities.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import { createCursors } from '../platform/lists/cursors.ts'
import { createSlices } from '../platform/lists/slices.ts'
import { reconcile } from '../reconciliation/reconcile.ts'
import { createMatchings } from '../reconciliation/worker/client.ts'
import type { Vault } from '../security/vault.ts'
import type { StoragePorts } from '../storage/ports.ts'
import { listDeliveries } from '../webhooks/list-deliveries.ts'
import type { AppDeps } from './app.ts'

/** What a person can look at. None of them changes what people have stored. */
export type ReadVerbs = Pick<
  AppDeps['verbs'],
  'abilitiesOf' | 'profilesProving' | 'showStatement' | 'statementRows' | 'listProfiles' | 'listDeliveries'
>

interface ReadDeps {
  storage: StoragePorts
  vault: Vault
  clock: Clock
  ids: Ids
}

/** The verbs that read, on a storage alone: for a thread that has nothing else of the hub. */
export function createReadVerbs({ storage, vault, clock, ids }: ReadDeps): ReadVerbs {
  const { statements, webhooks, webhookQueue: queue, events } = storage
  const walk = { slices: createSlices(), cursors: createCursors(vault) }
  const { showStatement, statementRows, listProfiles } = reconcile({
    ...{ statements, matchings: createMatchings(), ...walk, clock, ids },
  })
  return {
    ...createAbilities(storage),
    ...{ showStatement, statementRows, listProfiles },
    listDeliveries: listDeliveries({ webhooks, queue, events, ...walk }),
  }
}
