import { hostname } from 'node:os'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../security/vault.ts'
import { newest } from '../../storage/postgres/schema/migrate.ts'
import type { Task } from '../cluster.ts'
import type { Peer } from '../peers.ts'
import type { Link } from './link.ts'

/**
 * Longer than the pause between two parts of a task, so that one hub goes on with it. When a hub is killed, nobody reads a
 * new event until another one gives the seqs.
 */
const LEASES_MS: Record<Task, number> = { retention: 90_000, clock: 90_000, events: 3_000, webhooks: 3_000 }
/** A lease that ends later than it can was taken before PostgreSQL's clock was set back. */
const SLACK_MS = 5_000
/** A hub that has not beaten for so long was killed, and its row is deleted. */
const FORGET_MS = 24 * 60 * 60_000

export interface Beat {
  /** PostgreSQL's time. */
  at: number
  /** How many times hubs have dealt with a step back of it. */
  setBacks: number
  /** The other hubs that run. */
  peers: readonly Peer[]
}

interface Member {
  hub: string
  version: string
  vault: Pick<Vault, 'keyIds'>
  /** The machine's. */
  clock: Pick<Clock, 'now'>
}

/** One hub among the hubs on a database: its row, which says that it runs, and its leases. */
export class Membership {
  /** Where other hubs reach this one over HTTP; empty before it serves. */
  address = ''
  readonly #member: Member
  readonly #startedAt: number
  readonly #schema = newest()

  constructor(member: Member) {
    this.#member = member
    this.#startedAt = Math.round(member.clock.now())
  }

  /** Says that this hub runs, and asks for PostgreSQL's time in the same statement. */
  async beat(query: Link['query'], databaseAheadMs: number): Promise<Beat | undefined> {
    const { hub, version, vault } = this.#member
    const [stored] = await query<Beat>(
      `INSERT INTO hubs (id, host, pid, version, started_at, beat_at, clock_ahead_ms, key_ids, address, schema)
       VALUES ($1, $2, $3, $4, $5, clock_ms(), $6, $7, $8, $9)
       ON CONFLICT (id) DO UPDATE
         SET beat_at = excluded.beat_at, clock_ahead_ms = excluded.clock_ahead_ms, address = excluded.address
       RETURNING beat_at AS at, (SELECT set_backs FROM server) AS "setBacks",
         (SELECT coalesce(json_agg(json_build_object('id', id, 'address', address)), '[]')
          FROM live_hubs WHERE id <> $1 AND address <> '') AS peers`,
      [
        ...[hub, hostname(), process.pid, version, this.#startedAt],
        ...[Math.round(-databaseAheadMs), vault.keyIds, this.address, this.#schema],
      ],
    )
    return stored
  }

  /** Whether this hub holds the lease of the task, or has taken it now. */
  async leads(query: Link['query'], task: Task): Promise<boolean> {
    try {
      const taken = await query(
        `INSERT INTO leases AS held (task, hub, until) VALUES ($1, $2, clock_ms() + $3::bigint)
         ON CONFLICT (task) DO UPDATE SET hub = excluded.hub, until = excluded.until
         WHERE held.hub = excluded.hub OR NOT held.until BETWEEN clock_ms() AND excluded.until + ${SLACK_MS}
         RETURNING task`,
        [task, this.#member.hub, LEASES_MS[task]],
      )
      return taken.length > 0
    } catch {
      return false
    }
  }

  async leave(query: Link['query']) {
    try {
      await query('DELETE FROM leases WHERE hub = $1', [this.#member.hub])
      await query('DELETE FROM hubs WHERE id = $1', [this.#member.hub])
    } catch {
      // Without its beats it is gone, too.
    }
  }
}

export async function forgetKilledHubs(query: Link['query']) {
  await query('DELETE FROM hubs WHERE beat_at < clock_ms() - $1::bigint', [FORGET_MS])
}
