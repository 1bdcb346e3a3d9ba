import type { IncomingMessage } from 'node:http'
import { createCore } from './core.ts'
import { createConnections } from './http/connections.ts'
import type { Readiness } from './http/operations.ts'
import { requestAddress } from './http/request-address.ts'
import { type Addresses, openListeners } from './listeners.ts'
import { createBroker } from './mqtt/aedes.ts'
import { serveCliRequests } from './operate/cli-requests.ts'
import { createMetrics } from './operate/metrics.ts'
import { startRetention } from './operate/retention.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { freeBytes } from './platform/disk.ts'
import type { Ids } from './platform/ids.ts'
import type { Logger } from './platform/log.ts'
import { hubRules } from './storage/rules.ts'
import { openDataFolder } from './storage/sqlite/file/data-folder.ts'
import { makeOnFirstStart } from './storage/sqlite/file/first-start.ts'
import { lockForOneHub } from './storage/sqlite/file/hub-lock.ts'
import { type OpenStorage, openFolder } from './storage/sqlite/file/open-folder.ts'

/** A hub that serves. */
export interface RunningHub extends Addresses {
  /** Takes nothing new, lets what is under way finish, and closes everything in reverse. */
  stop(): Promise<void>
}

export interface HubDeps {
  clock: Clock
  ids: Ids
  log: Logger
  openStorage: OpenStorage
  /** Ends a start that is under way: `startHub` rejects with its reason, with everything closed. */
  stopping?: AbortSignal
}

/** Builds the hub in order and starts it; when a step fails, what was opened is closed again. */
export async function startHub(config: Config, deps: HubDeps): Promise<RunningHub> {
  const opened = new AsyncDisposableStack()
  try {
    return await build(config, deps, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

async function build(config: Config, deps: HubDeps, opened: AsyncDisposableStack): Promise<RunningHub> {
  const { clock, ids, log } = deps
  const startedAt = clock.now()
  const folder = openDataFolder(config.dataDir)
  folder.make()
  // Before the lock, whose file tells of an earlier hub.
  makeOnFirstStart(folder, config.masterKey)
  opened.defer(lockForOneHub(folder.lockFile))
  const metrics = createMetrics(clock)
  metrics.watchProcess()
  const { storage, vault, scrubbed } = await openFolder(
    { folder, masterKey: config.masterKey, ids, clock, rules: hubRules(ids), observe: metrics.storage },
    deps.openStorage,
  )
  opened.defer(() => storage.close())
  deps.stopping?.throwIfAborted()
  if (!scrubbed)
    log.warn(
      'the database still holds values that were given up: make room for two more copies of it, and start again',
    )

  let phase: 'starting' | 'serving' | 'draining' = 'starting'
  const readiness = async (): Promise<Readiness> => {
    if (phase !== 'serving') return phase
    return storage.ping().then(
      () => 'ready',
      () => 'storage',
    )
  }
  const { trustsProxy } = config
  const addressOf = (incoming: IncomingMessage) => requestAddress(incoming, trustsProxy)
  const connections = createConnections({ clock, trustsProxy, addressOf, closed: metrics.httpClosed })
  const { delivery, health, gate, app, admin } = createCore({
    ...{ storage, vault, clock, ids, log, metrics, readiness, connections },
    ...{ rate: config.rate, anonymousRate: config.anonymousRate, trustsProxy },
    diskFreeBytes: () => freeBytes(config.dataDir),
  })
  opened.defer(health.stop)
  opened.defer(delivery.start())
  const { connectsPerSecond, keepPaymentsDays } = config
  const broker = await createBroker({ gate, clock, metrics, connectsPerSecond, log })
  opened.defer(() => broker.close())
  opened.defer(serveCliRequests({ storage, delivery, gate, clock, log }))
  opened.defer(startRetention({ retention: storage.retention, keepPaymentsDays, clock, log }))

  const { addresses, drain } = await openListeners(
    config,
    { app, admin, broker, connections, addressOf, clock, log, stopping: deps.stopping },
    opened,
  )
  folder.writeAddresses({ pid: process.pid, startedAt, ...addresses })
  phase = 'serving'

  return {
    ...addresses,
    async stop() {
      phase = 'draining'
      folder.removeAddresses()
      await drain()
      await opened.disposeAsync()
    },
  }
}
