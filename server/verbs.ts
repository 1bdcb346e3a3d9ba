import type { AppDeps } from './app/app.ts'
import type { Cluster } from './cluster/cluster.ts'
import { inTurn } from './cluster/locks.ts'
import type { Delivery } from './delivery/delivery.ts'
import type { AbilitiesOf, ProfilesProving } from './devices/abilities.ts'
import { manageDevices } from './devices/manage-devices.ts'
import { registerDevice } from './devices/register-device.ts'
import { sendVerification } from './devices/send-verification.ts'
import { readEvents } from './events/read-events.ts'
import type { EventWaits } from './events/waiting.ts'
import { once } from './idempotency/once.ts'
import { manageTokens } from './partners/tokens.ts'
import { createDynamicQr } from './payments/create-dynamic-qr.ts'
import { findTransaction } from './payments/find-transaction.ts'
import { keyAmount } from './payments/keypad/key-amount.ts'
import { searchPayments } from './payments/lists/search-payments.ts'
import { summarizeDay } from './payments/lists/summarize-day.ts'
import { recordCallback } from './payments/record-callback.ts'
import type { Clock } from './platform/clock.ts'
import type { Ids } from './platform/ids.ts'
import { createKeyedLock } from './platform/keyed-lock.ts'
import { createCursors } from './platform/lists/cursors.ts'
import { createSlices } from './platform/lists/slices.ts'
import type { Logger } from './platform/log.ts'
import { reconcile } from './reconciliation/reconcile.ts'
import { createMatchings } from './reconciliation/worker/client.ts'
import type { Vault } from './security/vault.ts'
import { manageSettings } from './settings/manage-settings.ts'
import type { Storage } from './storage/ports.ts'
import { manageStores } from './stores/manage-stores.ts'
import { createUrlCheck } from './webhooks/accept-url.ts'
import type { AddressCheck } from './webhooks/address.ts'
import { listDeliveries } from './webhooks/list-deliveries.ts'
import { manageWebhooks } from './webhooks/manage-webhooks.ts'
import { replayEvents } from './webhooks/replay-events.ts'

/** Everything that partners can do by the API, and shops at their devices, with what it needs. */
export function createVerbs(deps: {
  storage: Storage
  delivery: Delivery
  cluster: Pick<Cluster, 'locks' | 'limits'>
  waits: EventWaits
  addresses: AddressCheck
  /** Lets this hub look at a webhook soon. */
  webhookChanged: (id: string) => void
  vault: Vault
  abilitiesOf: AbilitiesOf
  profilesProving: ProfilesProving
  clock: Clock
  ids: Ids
  log: Logger
}): AppDeps['verbs'] & { keyAmount: ReturnType<typeof keyAmount> } {
  const {
    storage,
    delivery,
    cluster,
    waits,
    addresses,
    vault,
    abilitiesOf,
    profilesProving,
    clock,
    ids,
    log,
  } = deps
  const { partners, tokens, devices, codes, settings, stores, bills, payments, idempotency } = storage
  const { events, webhooks, webhookQueue } = storage
  const changed = deps.webhookChanged
  const seen = { announcer: delivery, screens: delivery, control: delivery, presence: delivery.presence }
  const base = { clock, ids, vault, abilitiesOf }
  const walk = { slices: createSlices(), cursors: createCursors(vault) }
  const acceptUrl = createUrlCheck(addresses)
  const searched = { lists: storage.lists.payments, ...walk, clock }
  const { findStore, listStores, updateStore } = manageStores({
    ...{ stores, lists: storage.lists.stores, ...walk, ...seen, ...base },
  })
  const showBill = createDynamicQr({ stores, bills, ...seen, ...base })
  const lock = inTurn(createKeyedLock(), cluster.locks)
  const throttle = cluster.limits.logins(clock)
  const { logIn, refresh, authenticate } = manageTokens({ partners, tokens, throttle, ...base })
  return {
    ...{ logIn, refresh, authenticate },
    ...{ abilitiesOf, profilesProving },
    sendVerification: sendVerification({ devices, codes, lock, ...seen, ...base }),
    register: registerDevice({ devices, ...seen, ...base }),
    ...manageDevices({
      ...{ devices, lists: storage.lists.devices, hubSince: clock.now() },
      ...{ ...walk, ...seen, ...base },
    }),
    ...manageSettings({ settings, sender: delivery, ...base }),
    ...{ findStore, listStores, updateStore },
    createDynamicQr: showBill,
    keyAmount: keyAmount({ keyed: storage.keyed, createDynamicQr: showBill, clock, ids }),
    recordCallback: recordCallback({ partners, payments, ...seen, ...base }),
    findTransaction: findTransaction({ payments }),
    ...searchPayments(searched),
    ...summarizeDay(searched),
    ...reconcile({ statements: storage.statements, matchings: createMatchings(), ...walk, clock, ids }),
    readEvents: readEvents({ events, slices: walk.slices, waits, clock }),
    ...manageWebhooks({ webhooks, events, acceptUrl, changed, ...base }),
    listDeliveries: listDeliveries({ webhooks, queue: webhookQueue, events, ...walk }),
    replayEvents: replayEvents({ webhooks, events, slices: walk.slices, changed, clock }),
    once: once({ idempotency, locks: cluster.locks, clock, log }),
  }
}
