import { eq, sql } from 'drizzle-orm'
import { revisions } from '../schema/schema.ts'
import { bareRead } from './bare.ts'
import type { Orm } from './database.ts'

/**
 * What others hold in memory, or wait for:
 *  - grants: tokens, secrets and partners, when one of them stops being good,
 *  - wishes: what a command has left to do for the hub that is running.
 */
export type Revised = 'grants' | 'wishes'

/**
 * Tells every connection to the file, whichever thread or process has it, that something has changed. Why not
 * SQLite's own data_version: that changes with each commit of another connection, and payments are commits.
 */
export interface Revisions {
  /** Rises with every change, from the commit of the change on. */
  of(what: Revised): number
  /** Notes a change, in the commit that makes it. */
  raise(what: Revised): void
}

export function createRevisions(orm: Orm): Revisions {
  const columns = { revision: revisions.revision }
  const isNamed = eq(revisions.name, sql.placeholder('name'))
  const read = bareRead(orm, columns, orm.select(columns).from(revisions).where(isNamed))
  const raise = orm
    .update(revisions)
    .set({ revision: sql`${revisions.revision} + 1` })
    .where(isNamed)
    .prepare()
  return {
    of: (name) => read.get({ name })?.revision ?? 0,
    raise: (name) => void raise.run({ name }),
  }
}
