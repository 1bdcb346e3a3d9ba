import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import { createAdminApp } from './app/app.ts'
import { ALONE } from './cluster/cluster.ts'
import type { ClusterDeps, PostgresCluster } from './cluster/postgres/cluster.ts'
import type { ConsoleDeps } from './console/app.ts'
import type { Parts } from './console/parts/visit.ts'
import { type CoreDeps, createCore } from './core.ts'
import { startNumbering } from './events/number-events.ts'
import { Connections } from './http/connections/connections.ts'
import { HubState } from './hub-state.ts'
import { type Addresses, openAdminListener, openListeners } from './listeners.ts'
import { createBroker } from './mqtt/aedes.ts'
import { claimFolder, openStorage, startSteps } from './open-storage.ts'
import { serveCliRequests } from './operate/cli-requests.ts'
import { createClockWatch } from './operate/clock-watch.ts'
import { startKeepingUp } from './operate/keep-up.ts'
import { createMetrics, type Metrics } from './operate/metrics.ts'
import { shortestKeepMs, startRetention } from './operate/retention.ts'
import { manageSessions } from './operators/manage-sessions.ts'
import type { Clock } from './platform/clock.ts'
import type { Config } from './platform/config.ts'
import { freeBytes } from './platform/disk.ts'
import { createFaultLog } from './platform/fault-log.ts'
import type { Ids } from './platform/ids.ts'
import type { Logger } from './platform/log.ts'
import { requestAddress } from './platform/net/address.ts'
import { resolveHost } from './platform/net/resolve.ts'
import { createBusyWatch } from './platform/time/busy-watch.ts'
import { cached } from './site/asset.ts'
import { ProbingCircuit } from './storage/circuit.ts'
import { hubRules } from './storage/rules.ts'
import { type DataFolder, openDataFolder } from './storage/sqlite/file/data-folder.ts'
import type { OpenStorage } from './storage/sqlite/file/open-folder.ts'
import { createPost } from './webhooks/send/post.ts'

/** A hub that serves. */
export interface RunningHub extends Addresses {
  /** Takes nothing new, lets what is under way finish, and closes everything in reverse. */
  stop(): Promise<void>
}

export interface HubDeps {
  clock: Clock
  ids: Ids
  log: Logger
  /** Opens the database of the data folder. */
  openStorage: OpenStorage
  /** Joins the other hubs. A measurement replaces it. */
  join?: typeof joinHubs
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
  const { clock: machine, log, stopping } = deps
  const startedAt = machine.now()
  const state = new HubState(createFaultLog(log, machine, 'not ready: nothing can be stored'))
  const readiness = () => state.readiness()
  const folder = openDataFolder(config.dataDir)
  opened.defer(claimFolder(folder, config, log))
  const metrics = createMetrics(machine)
  metrics.watchProcess()
  const admin = createAdminApp({ metrics, log, clock: machine, readiness })
  let parts: Parts | undefined
  const stopsConsole = new AbortController()
  const loadConsole =
    config.console &&
    consoleOnDemand({
      ...{ url: config.console.url, parts: () => parts, stopping: stopsConsole.signal },
      ...{ closes: (act) => opened.defer(act), metrics, log, clock: machine },
    })
  // Before the storage, because PostgreSQL may have to be waited for.
  const forOperators = { admin, loadConsole, clock: machine, log, stopping }
  const operators = await openAdminListener(config, forOperators, opened)
  const ground = await openGround(config, deps, { folder, metrics }, opened)
  const { storage, clockWatch, cluster } = ground
  const { clock } = clockWatch
  const sessions = manageSessions({ operators: storage.operators, clock, ids: deps.ids })
  const { gate, waits, verbs, listeners } = await openForPartners(
    config,
    deps,
    { ...ground, metrics, readiness },
    opened,
  )
  const retentionWaits = clockWatch.isDoubted
  parts = { storage, verbs, sessions, hubSince: startedAt, clock, retentionWaits }
  const addresses = { ...listeners.addresses, ...operators.addresses }
  folder.writeAddresses({ pid: process.pid, startedAt, ...addresses })
  state.serves({ ping: () => storage.ping(), isClockBehind: clockWatch.isBehind })
  cluster.servesAt(config.postgres?.peerUrl ?? reachable(addresses.http))
  cluster.onCutOff((isCutOff) => {
    state.isCutOff = isCutOff
    if (state.phase !== 'serving') return
    if (!isCutOff) {
      gate.takeAgain()
      return listeners.takeSpeakers()
    }
    // A balancer tries the next hub, rather than this one because it has the fewest connections.
    listeners.refuseSpeakers()
    void gate.handOver(config.postgres?.drainMs ?? 0, machine)
  })

  return {
    ...addresses,
    async stop() {
      state.phase = 'draining'
      folder.removeAddresses()
      // Speakers of a hub by itself have nowhere else to go: they are all cut off at the end.
      if (config.postgres) listeners.refuseSpeakers()
      waits.stop()
      stopsConsole.abort()
      await listeners.drain()
      if (config.postgres) await gate.handOver(config.postgres.drainMs, machine)
      await operators.drain()
      await opened.disposeAsync()
    },
  }
}

/** Loads the console at the first request to it: a start needs none of its 60 modules. */
const consoleOnDemand = (deps: ConsoleDeps) =>
  cached(async () => (await import('./console/app.ts')).createConsole(deps))

/** Opens what the core stands on: the storage, the other hubs, and the time that they share. */
async function openGround(
  config: Config,
  { clock: machine, ids, log, stopping, openStorage: openFile, join = joinHubs }: HubDeps,
  { folder, metrics }: { folder: DataFolder; metrics: Metrics },
  opened: AsyncDisposableStack,
) {
  const hub = ids.uuid()
  const circuit = new ProbingCircuit(machine)
  const atStart = await startSteps(config, { clock: machine, log, stopping })
  const options = {
    ...{ clock: machine, ids, log, openStorage: openFile },
    ...{ rules: hubRules(ids), observe: metrics.storage, hub, circuit },
  }
  const { storage, vault } = await atStart(() => openStorage(config, folder, options))
  opened.defer(() => storage.close())
  stopping?.throwIfAborted()
  const member = { hub, vault, ids, circuit, clock: machine, log, count: metrics.wakeup }
  const cluster = await atStart(() => join(config, member))
  opened.defer(cluster.leave)
  const clockWatch = createClockWatch({
    ...{ audit: storage.audit, retention: storage.retention, bridgeMs: shortestKeepMs(config) },
    ...{ isAlone: cluster.wakeups.isAlone, clock: cluster.clock, log },
  })
  await atStart(clockWatch.look)
  return { hub, circuit, storage, vault, cluster, clockWatch }
}

/** Starts the core and its work in the background, and opens the listeners for partners and speakers. */
async function openForPartners(
  config: Config,
  { clock: machine, ids, log, stopping }: HubDeps,
  ground: Awaited<ReturnType<typeof openGround>> & Pick<CoreDeps, 'metrics' | 'readiness'>,
  opened: AsyncDisposableStack,
) {
  const { hub, circuit, storage, vault, cluster, clockWatch, metrics, readiness } = ground
  const { clock } = clockWatch
  const { trustsProxy, connectsPerSecond, keepPaymentsDays, keepEventsDays } = config
  const addressOf = (incoming: IncomingMessage) => requestAddress(incoming, trustsProxy)
  const connections = new Connections({ clock, trustsProxy, addressOf, closed: metrics.httpClosed })
  const targets = { resolve: resolveHost, allow: config.webhookAllow }
  const { post, close } = createPost({ ...targets, clock, version: hubVersion() })
  opened.defer(close)
  const { delivery, health, gate, verbs, waits, webhooks, app } = createCore({
    ...{ storage, vault, clock, ids, log, metrics, readiness, connections, cluster, circuit },
    ...(config.postgres && { hubId: hub }),
    ...{ rate: config.rate, anonymousRate: config.anonymousRate, trustsProxy },
    ...{ addresses: targets, post, random: Math.random, isBusy: createBusyWatch(clock) },
    diskFreeBytes: () => freeBytes(config.dataDir),
    retentionWaits: clockWatch.isDoubted,
    clockIsBehind: clockWatch.isBehind,
  })
  opened.defer(health.stop)
  opened.defer(delivery.start())
  const { retention, events } = storage
  const broker = await createBroker({ gate, clock, metrics, connectsPerSecond, log })
  opened.defer(() => broker.close())
  opened.defer(serveCliRequests({ storage, delivery, gate, clock, log }))
  if (config.postgres)
    opened.defer(startNumbering({ events, leads: () => cluster.leads('events'), clock: machine, log }))
  opened.defer(
    startRetention({
      ...{ retention, imports: storage.statements, clockWatch, leads: () => cluster.leads('retention') },
      ...{ keepPaymentsDays, keepEventsDays, observe: metrics.retention, clock, log },
    }),
  )
  const leads = () => cluster.leads('retention')
  opened.defer(startKeepingUp({ storage, leads, clock, log }))
  webhooks.start()
  opened.defer(webhooks.stop)
  const fromCore = { app, broker, connections, addressOf, clock, log, stopping }
  return { gate, waits, verbs, listeners: await openListeners(config, fromCore, opened) }
}

/** The address of a listener as other machines know it: one that listens on all its addresses has the machine's name. */
function reachable(address: string): string {
  const url = new URL(address)
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = hostname()
  return url.origin
}

/** Joins the other hubs on PostgreSQL. A hub on SQLite is alone, and starts without loading the driver. */
export async function joinHubs(
  { postgres }: Config,
  deps: Omit<ClusterDeps, 'version'>,
): Promise<PostgresCluster> {
  if (!postgres) {
    const none = { onCutOff: () => undefined, servesAt: () => undefined, leave: async () => undefined }
    return { ...ALONE, clock: deps.clock, ...none }
  }
  const { joinCluster } = await import('./cluster/postgres/cluster.ts')
  return joinCluster(postgres.url, { ...deps, version: hubVersion() })
}

function hubVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}
