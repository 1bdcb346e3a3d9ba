import { createLoginThrottle } from '../../partners/login-throttle.ts'
import { type Clock, every } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import { createTokenBuckets } from '../../platform/token-buckets.ts'
import type { Vault } from '../../security/vault.ts'
import type { StorageCircuit } from '../../storage/circuit.ts'
import { mapDriverError } from '../../storage/postgres/engine/driver-errors.ts'
import { chooseServer, createConnections, type Tx } from '../../storage/postgres/engine/pool.ts'
import type { Cluster, Task } from '../cluster.ts'
import { createPeerQuestion, type Peer } from '../peers.ts'
import { watchReach } from '../reach.ts'
import { createDatabaseClock } from './database-clock.ts'
import { Link } from './link.ts'
import { createPostgresLocks } from './locks.ts'
import { createPostgresLoginThrottle } from './login-failures.ts'
import { forgetKilledHubs, Membership } from './membership.ts'
import { createPostgresMessages } from './messages/messages.ts'
import { createPostgresPresence } from './presence.ts'
import { watchPrimary } from './primary.ts'
import { createPostgresBuckets } from './request-buckets.ts'
import { createSetBack } from './set-back.ts'
import { wakeChannels } from './wakeups/channels.ts'
import { type CountWakeup, NotifyWakeups } from './wakeups/wakeups.ts'

const BEAT_EVERY_MS = 1_000
/** Connections for messages, locks and questions about other hubs. */
const CONNECTIONS = 2

export interface PostgresCluster extends Cluster {
  /** PostgreSQL's time. */
  clock: Clock
  /**
   * Calls `listener` when this hub alone does not reach PostgreSQL, and when it does again.
   */
  onCutOff(listener: (isCutOff: boolean) => void): void
  /** Where other hubs reach this one over HTTP, such as http://10.0.0.1:8080. */
  servesAt(address: string): void
  /** Sends the last wake-ups, and gives up what this hub has. The second call changes nothing. */
  leave(): Promise<void>
}

export interface ClusterDeps {
  /** The id of this start of the hub: the storage must have the same. */
  hub: string
  /** The hub's release. */
  version: string
  vault: Vault
  ids: Pick<Ids, 'uuid'>
  /** Of the storage. Without it, connections are given up by their own time limits. */
  circuit?: StorageCircuit
  /** The machine's. */
  clock: Clock
  log: Logger
  count: CountWakeup
}

/** Joins the hubs on a PostgreSQL database, which a storage has migrated. */
export async function joinCluster(url: string, deps: ClusterDeps): Promise<PostgresCluster> {
  const { hub, vault, ids, circuit, clock: machine, log } = deps
  const membership = new Membership(deps)
  const { link, ask, clock, wakeups, setBack, onCutOff, stopBeating } = await openMembership(
    url,
    membership,
    deps,
  )

  // What waits for a beat, such as a request that needs the time, waits no longer.
  const forgetCircuit = circuit?.onAway(() => link.renew())
  const connections = createConnections(chooseServer(url), CONNECTIONS, {}, circuit)
  const query: Tx['query'] = async (...args) => {
    try {
      return await connections.query(...args)
    } catch (error) {
      throw mapDriverError(error)
    }
  }
  const leads = (task: Task) => membership.leads(ask, task)

  async function giveUp() {
    stopBeating()
    await wakeups.flush()
    await membership.leave(ask)
    forgetCircuit?.()
    await Promise.all([link.close(), connections.close()])
  }
  let left: Promise<void> | undefined

  return {
    ...{ wakeups, clock, leads, onCutOff, databaseAheadMs: clock.databaseAheadMs },
    presence: createPostgresPresence(query, hub),
    messages: createPostgresMessages({ query, vault, wakeups, hub, ids, clock, log }),
    locks: createPostgresLocks({ query, hub, ids, clock }),
    limits: {
      logins: (own) => createPostgresLoginThrottle(query, createLoginThrottle(own)),
      requests: (own, size) =>
        createPostgresBuckets({ query, own: createTokenBuckets(own, size), size, clock: machine }),
    },
    servesAt(where) {
      membership.address = where
    },
    onceSetBack: (act) => setBack.once(query, () => leads('clock'), act),
    leave: () => (left ??= giveUp()),
  }
}

/** Opens the link on which this hub beats, takes PostgreSQL's time, and sends and hears wake-ups. */
async function openMembership(url: string, membership: Membership, deps: ClusterDeps) {
  const { hub, vault, clock: machine, log, count } = deps
  const primary = watchPrimary(log)
  const setBack = createSetBack({ machine })
  const isAnyReady = createPeerQuestion()
  const reach = watchReach({ isPeerReady: () => isAnyReady(peers), clock: machine, log })
  let peers: readonly Peer[] = []
  const ask: Link['query'] = (text, values) => link.query(text, values)
  const clock = createDatabaseClock(machine, () => beat(ask))
  const channels = wakeChannels(vault)

  const wakeups = new NotifyWakeups({
    ...{ hub, clock: machine, count },
    async send(payloads) {
      await ask('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channels[0], payloads])
    },
  })

  async function beat(query: Link['query']) {
    const askedAt = machine.elapsed()
    const expectedAt = clock.expectedAtLeast()
    const stored = await membership.beat(query, clock.databaseAheadMs())
    if (!stored) return
    peers = stored.peers
    // Before this hub sees the step by itself.
    await setBack.note(query, { ...stored, expectedAt })
    clock.add(askedAt, machine.elapsed(), stored.at)
    await primary.noteReplication(query)
  }

  const link = new Link({
    ...{ url, clock: machine, log },
    heard: (payload) => wakeups.heard(payload),
    reopened: () => wakeups.reconnected(),
    async ready(query) {
      await primary.opened(query)
      // Nothing here must outlive a crash of the server: no commit waits for a disk.
      await query('SET synchronous_commit = off')
      for (const channel of channels) await query(`LISTEN ${channel}`)
      await beat(query)
      await forgetKilledHubs(query)
    },
  })
  await link.open()
  // A beat that fails loses the link, which is opened again, with a beat.
  const stopBeating = every(machine, BEAT_EVERY_MS, () => void beat(ask).then(reach.reached, reach.missed))
  return { link, ask, clock, wakeups, setBack, onCutOff: reach.onCutOff, stopBeating }
}
