import { and, desc, eq, gte, lt, or, sql } from 'drizzle-orm'
import type { AuditRecords } from '../audit.ts'
import type { OpenDatabase } from './engine/database.ts'
import { reading } from './engine/map-driver-errors.ts'
import { audit } from './schema/schema.ts'

export function createAuditRecords({ orm }: OpenDatabase): AuditRecords {
  return {
    list: reading(({ since, actor, action, subject, before = Number.MAX_SAFE_INTEGER, limit }) => {
      const isWanted = and(
        lt(audit.id, before),
        since === undefined ? undefined : gte(audit.at, since),
        actor === undefined ? undefined : or(eq(audit.actor, actor), eq(audit.actorKind, sql`${actor}`)),
        action === undefined ? undefined : sql`substr(${audit.action}, 1, length(${action})) = ${action}`,
        subject === undefined ? undefined : eq(audit.subject, subject),
      )
      return orm.select().from(audit).where(isWanted).orderBy(desc(audit.id)).limit(limit).all()
    }),
  }
}
