import { createDelivery, type Delivery } from './delivery/delivery.ts'
import { sb1 } from './dialects/sb1/index.ts'
import { type AppDeps, createApp } from './http/app.ts'
import { createRequestLimit } from './http/guards/rate-limit.ts'
import { createGate, type Gate } from './mqtt/gate.ts'
import type { Figures, Metrics } from './operate/metrics.ts'
import type { Ids } from './platform/ids.ts'
import type { BucketSize } from './platform/token-buckets.ts'
import type { Vault } from './security/vault.ts'
import type { Storage } from './storage/ports.ts'
import { createVerbs } from './verbs.ts'

/** The parts that a test replaces to plant a bug in one of them. */
export const PARTS = { dialect: sb1, createDelivery, createGate }

export interface CoreDeps
  extends Pick<AppDeps, 'clock' | 'log' | 'readiness' | 'trustsProxy' | 'connections'>,
    Pick<Figures, 'diskFreeBytes'> {
  storage: Storage
  vault: Vault
  metrics: Metrics
  ids: Ids
  /** Requests of one partner. */
  rate: BucketSize
  /** Requests of one network without a good token. */
  anonymousRate: BucketSize
  parts?: typeof PARTS
}

/** The hub without what surrounds it: no file, no socket, no process. */
export interface Core {
  delivery: Delivery
  gate: Gate
  verbs: AppDeps['verbs']
  app: ReturnType<typeof createApp>
}

/** Puts the hub together on an open storage: for the process, for tests and for the simulation alike. */
export function createCore(deps: CoreDeps): Core {
  const { storage, vault, clock, ids, log, metrics, readiness, diskFreeBytes, parts = PARTS } = deps
  const { outbox, devices, settings } = storage
  const { dialect } = parts
  const delivery = parts.createDelivery({ outbox, devices, settings, dialect, clock, ids, log })
  metrics.watch({
    devicesConnected: () => delivery.connectedSerials().length,
    backlog: () => outbox.backlog(),
    writesWaiting: () => storage.writesWaiting(),
    diskFreeBytes,
  })
  const gate = parts.createGate({ devices, delivery, dialect, clock, metrics, log })
  const verbs = createVerbs({ storage, delivery, vault, clock, ids, log })
  const requestLimit = createRequestLimit(clock, deps.rate)
  const anonymousLimit = createRequestLimit(clock, deps.anonymousRate)
  const { trustsProxy, connections } = deps
  const app = createApp({
    ...{ verbs, requestLimit, anonymousLimit, trustsProxy, connections },
    ...{ presence: delivery, metrics, clock, log, readiness },
  })
  return { delivery, gate, verbs, app }
}
