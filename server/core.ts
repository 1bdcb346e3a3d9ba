import { type AppDeps, createApp } from './app/app.ts'
import { ALONE, type Cluster } from './cluster/cluster.ts'
import { createDelivery, type Delivery } from './delivery/delivery.ts'
import { createHealthLog, type HealthLog } from './devices/health.ts'
import { createAbilities } from './dialects/abilities.ts'
import { createBoxSessions } from './dialects/box-sessions.ts'
import { sb1 } from './dialects/sb1/index.ts'
import { createDepartures } from './events/departures.ts'
import { createEventWaits, type EventWaits } from './events/waiting.ts'
import { createRequestLimit } from './http/guards/limits.ts'
import { createGate, type Gate } from './mqtt/gate.ts'
import type { Figures, Metrics } from './operate/metrics.ts'
import type { Ids } from './platform/ids.ts'
import { createSlices } from './platform/lists/slices.ts'
import type { BucketSize } from './platform/token-buckets.ts'
import type { Vault } from './security/vault.ts'
import { NO_CIRCUIT, type StorageCircuit } from './storage/circuit.ts'
import type { Storage } from './storage/ports.ts'
import { createVerbs } from './verbs.ts'
import type { AddressCheck } from './webhooks/address.ts'
import { createDispatcher, type Dispatcher } from './webhooks/send/dispatcher.ts'
import type { Post } from './webhooks/send/post.ts'

/** The parts that a test replaces to plant a bug in one of them. */
export const PARTS = { dialect: sb1, createDelivery, createGate }

export interface CoreDeps
  extends Pick<
      AppDeps,
      'clock' | 'log' | 'readiness' | 'hubId' | 'trustsProxy' | 'connections' | 'clockIsBehind'
    >,
    Pick<Figures, 'diskFreeBytes' | 'retentionWaits'> {
  storage: Storage
  vault: Vault
  metrics: Metrics
  ids: Ids
  /** What the addresses of webhooks are checked with. */
  addresses: AddressCheck
  /** Sends one request to a webhook. */
  post: Post
  /** A number from 0 to below 1: spreads what is tried again. */
  random: () => number
  /** Whether this thread works almost all the time. */
  isBusy: () => boolean
  /** Without it the hub is alone. */
  cluster?: Cluster
  /** Requests of one partner. */
  rate: BucketSize
  /** Requests of one network without a good token. */
  anonymousRate: BucketSize
  /** Of the storage. Without it, all waits for as long as the storage takes. */
  circuit?: Pick<StorageCircuit, 'patiently'>
  parts?: typeof PARTS
}

/** The hub without what surrounds it: no file, no socket, no process. */
export interface Core {
  delivery: Delivery
  health: Pick<HealthLog, 'stop'>
  gate: Gate
  verbs: AppDeps['verbs']
  /** Requests that wait for events. */
  waits: Pick<EventWaits, 'stop'>
  /** Sends webhooks, once it is started. */
  webhooks: Pick<Dispatcher, 'start' | 'stop'>
  /** For partners. */
  app: ReturnType<typeof createApp>
}

/** Puts the hub together on an open storage: for the process, for tests and for the simulation alike. */
export function createCore(deps: CoreDeps): Core {
  const {
    storage,
    vault,
    clock,
    ids,
    addresses,
    log,
    metrics,
    readiness,
    diskFreeBytes,
    retentionWaits,
    cluster = ALONE,
    circuit: { patiently } = NO_CIRCUIT,
    parts = PARTS,
  } = deps
  const { outbox, devices, maintenance, settings } = storage
  const { dialect } = parts
  const health = createHealthLog({ health: storage.health, clock, log })
  const { isAlone } = cluster.wakeups
  const departures = createDepartures({
    ...{ health: storage.health, isAlone, clock, log },
    looksForLost: async () => isAlone || (await cluster.leads('events')),
  })
  const waits = createEventWaits({ events: storage.events, clock, log })
  const delivery = parts.createDelivery({
    ...{ outbox, maintenance, settings, health, dialect, clock, ids, log },
    keyed: async (deviceId, { requestId, amount }) => {
      await verbs.keyAmount(deviceId, requestId, amount)
    },
    departures,
    cluster,
    patiently,
    fenced: metrics.fenced,
    reported: metrics.reported,
  })
  const webhooks = createDispatcher({
    ...{ queue: storage.webhookQueue, events: storage.events, clock, log },
    ...{ post: deps.post, random: deps.random, isBusy: deps.isBusy, count: metrics.webhookAttempt },
    isClockDoubted: retentionWaits,
    leads: () => cluster.leads('webhooks'),
    slices: createSlices(),
  })
  metrics.watch({
    isReady: async () => (await readiness()) === 'ready',
    devicesConnected: () => delivery.connectedByDialect(),
    backlog: () => outbox.backlog(),
    writesWaiting: () => storage.writesWaiting(),
    diskFreeBytes,
    retentionWaits,
    databaseAheadMs: cluster.databaseAheadMs,
    webhooks: () => storage.webhookQueue.counts(),
    webhooksUnderWay: webhooks.underWay,
  })
  const gate = parts.createGate({
    devices,
    delivery,
    dialect,
    boxes: createBoxSessions(clock),
    ids,
    clock,
    metrics,
    log,
  })
  const verbs = createVerbs({
    ...{ storage, delivery, cluster, waits, addresses, vault, clock, ids, log },
    ...createAbilities(storage),
    webhookChanged: webhooks.changed,
  })
  const requestLimit = createRequestLimit(clock, deps.rate, cluster.limits.requests(clock, deps.rate))
  const anonymousLimit = createRequestLimit(clock, deps.anonymousRate)
  const { trustsProxy, connections, hubId, clockIsBehind } = deps
  const app = createApp({
    ...{ verbs, requestLimit, anonymousLimit, trustsProxy, connections, clockIsBehind },
    ...{ presence: delivery.presence, metrics, clock, log, readiness, hubId },
  })
  return { delivery, health, gate, verbs, waits, webhooks, app }
}
