import { hostname } from 'node:os'
import { createLoginThrottle } from '../../partners/login-throttle.ts'
import type { Clock } from '../../platform/clock.ts'
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
import { wakeChannels } from './channels.ts'
import { createDatabaseClock } from './database-clock.ts'
import { type Link, openLink } from './link.ts'
import { createPostgresLocks } from './locks.ts'
import { createPostgresLoginThrottle } from './login-failures.ts'
import { createPostgresMessages } from './messages.ts'
import { createPostgresPresence } from './presence.ts'
import { watchPrimary } from './primary.ts'
import { createPostgresBuckets } from './request-buckets.ts'
import { createSetBack } from './set-back.ts'
import { type CountWakeup, createNotifyWakeups } from './wakeups.ts'

const BEAT_EVERY_MS = 1_000
/**
 * Longer than the pause between two parts of a task, so that one hub goes on with it. When a hub is killed, nobody reads a
 * new event until another one gives the seqs.
 */
const LEASES_MS: Record<Task, number> = { retention: 90_000, clock: 90_000, events: 3_000, webhooks: 3_000 }
/** A lease that ends later than it can was taken before PostgreSQL's clock was set back. */
const SLACK_MS = 5_000
/** A hub that has not beaten for so long was killed, and its row is deleted. */
const FORGET_MS = 24 * 60 * 60_000
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
  const { hub, version, vault, ids, circuit, clock: machine, log, count } = deps
  const clock = createDatabaseClock(machine, () => beat(askLink))
  const startedAt = Math.round(machine.now())
  const primary = watchPrimary(log)
  const setBack = createSetBack({ machine })
  const isAnyReady = createPeerQuestion()
  const reach = watchReach({ isPeerReady: () => isAnyReady(peers), clock: machine, log })
  let peers: readonly Peer[] = []
  let address = ''
  let link: Link | undefined
  let cancelBeat: () => void = () => undefined

  const askLink: Link['query'] = (text, values) =>
    link ? link.query(text, values) : Promise.reject(new Error('the hub has not joined'))

  const wakeups = createNotifyWakeups({
    ...{ hub, clock: machine, count },
    async send(payloads) {
      const [channel] = wakeChannels(vault)
      await askLink('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channel, payloads])
    },
  })

  /** Says that this hub runs, and asks for PostgreSQL's time in the same statement. */
  async function beat(query: Link['query']) {
    const askedAt = machine.elapsed()
    const expectedAt = clock.expectedAtLeast()
    const [stored] = await query<{ at: number; setBacks: number; peers: Peer[] }>(
      `INSERT INTO hubs (id, host, pid, version, started_at, beat_at, clock_ahead_ms, key_ids, address)
       VALUES ($1, $2, $3, $4, $5, clock_ms(), $6, $7, $8)
       ON CONFLICT (id) DO UPDATE
         SET beat_at = excluded.beat_at, clock_ahead_ms = excluded.clock_ahead_ms, address = excluded.address
       RETURNING beat_at AS at, (SELECT set_backs FROM server) AS "setBacks",
         (SELECT coalesce(json_agg(json_build_object('id', id, 'address', address)), '[]')
          FROM live_hubs WHERE id <> $1 AND address <> '') AS peers`,
      [
        ...[hub, hostname(), process.pid, version, startedAt],
        ...[Math.round(-clock.databaseAheadMs()), vault.keyIds, address],
      ],
    )
    if (!stored) return
    peers = stored.peers
    // Before this hub sees the step by itself.
    await setBack.note(query, { ...stored, expectedAt })
    clock.add(askedAt, machine.elapsed(), stored.at)
    await primary.noteReplication(query)
  }

  function beatLater() {
    cancelBeat = machine.after(BEAT_EVERY_MS, () => {
      // The link is opened again, which is a beat.
      beat(askLink).then(reach.reached, reach.missed)
      beatLater()
    })
  }

  link = await openLink({
    ...{ url, clock: machine, log, heard: wakeups.heard, reopened: wakeups.reconnected },
    async ready(query) {
      await primary.opened(query)
      // Nothing here must outlive a crash of the server: no commit waits for a disk.
      await query('SET synchronous_commit = off')
      for (const channel of wakeChannels(vault)) await query(`LISTEN ${channel}`)
      await beat(query)
      await query('DELETE FROM hubs WHERE beat_at < clock_ms() - $1::bigint', [FORGET_MS])
    },
  })
  beatLater()

  // What waits for a beat, such as a request that needs the time, waits no longer.
  const forgetCircuit = circuit?.onAway(link.renew)
  const connections = createConnections(chooseServer(url), CONNECTIONS, {}, circuit)
  const query: Tx['query'] = async (...args) => {
    try {
      return await connections.query(...args)
    } catch (error) {
      throw mapDriverError(error)
    }
  }

  async function leads(task: Task): Promise<boolean> {
    try {
      const taken = await askLink(
        `INSERT INTO leases AS held (task, hub, until) VALUES ($1, $2, clock_ms() + $3::bigint)
         ON CONFLICT (task) DO UPDATE SET hub = excluded.hub, until = excluded.until
         WHERE held.hub = excluded.hub OR NOT held.until BETWEEN clock_ms() AND excluded.until + ${SLACK_MS}
         RETURNING task`,
        [task, hub, LEASES_MS[task]],
      )
      return taken.length > 0
    } catch {
      return false
    }
  }

  async function giveUp() {
    cancelBeat()
    await wakeups.flush()
    try {
      await askLink('DELETE FROM leases WHERE hub = $1', [hub])
      await askLink('DELETE FROM hubs WHERE id = $1', [hub])
    } catch {
      // Without its beats it is gone, too.
    }
    forgetCircuit?.()
    await Promise.all([link?.close(), connections.close()])
  }
  let left: Promise<void> | undefined

  return {
    wakeups,
    presence: createPostgresPresence(query, hub),
    messages: createPostgresMessages({ query, vault, wakeups, hub, ids, clock, log }),
    locks: createPostgresLocks({ query, hub, ids, clock }),
    limits: {
      logins: (own) => createPostgresLoginThrottle(query, createLoginThrottle(own)),
      requests: (own, size) =>
        createPostgresBuckets({ query, own: createTokenBuckets(own, size), size, clock: machine }),
    },
    clock,
    databaseAheadMs: clock.databaseAheadMs,
    onCutOff: reach.onCutOff,
    servesAt(where) {
      address = where
    },

    leads,

    onceSetBack: (act) => setBack.once(query, () => leads('clock'), act),

    leave: () => (left ??= giveUp()),
  }
}
