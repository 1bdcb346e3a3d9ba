import type { DueLimits } from '../../../../announcements/expiry.ts'
import type { Outbox } from '../../../../announcements/ports.ts'
import type { StorageObserver } from '../../../ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { OPEN } from '../../../shared/announcement-conditions.ts'
import { FIRST_PAGE, inPages, PAGE } from '../../../shared/pages.ts'
import type { PostgresDatabase, Tx } from '../../engine/database.ts'

interface Ended {
  deviceId: string
  queuedAt: number
}

/** Up to `limit` of those with the earliest end, not before `from`. */
interface Page {
  from: number
  limit: number
}

const DUE = `${OPEN} AND expires_at >= $1 AND expires_at <= $2 AND (stage = 'queued' OR expires_at <= $3)`

/**
 * Expires announcements page by page. Hubs that do so at once meet at the rows: who waits for a row finds it expired, and
 * leaves it.
 */
export function createExpire(
  database: PostgresDatabase,
  rules: Pick<StorageRules, 'dueLimits'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Outbox['expire'] {
  /** Devices that have missed something, and that no answer has named yet: a later page may have failed. */
  const untold = new Set<string>()

  /** Ends a page. There may be fewer than were found: another hub has ended the others meanwhile. */
  async function endPage(tx: Tx, { unsent, sent }: DueLimits, at: number, { from, limit }: Page) {
    const found = await tx.query<{ number: number; expiresAt: number }>(
      'outbox.expire find',
      `SELECT number, expires_at AS "expiresAt" FROM announcements WHERE ${DUE} ORDER BY expires_at LIMIT $4`,
      [from, unsent, sent, limit],
    )
    const ended = await tx.query<Ended>(
      'outbox.expire',
      `WITH due AS MATERIALIZED (
         SELECT number FROM announcements WHERE number = ANY($5::bigint[]) AND ${DUE}
         ORDER BY number FOR NO KEY UPDATE
       )
       UPDATE announcements a SET stage = 'expired', expired_at = $4
       FROM due, devices d
       WHERE a.number = due.number AND d.number = a.device_number
       RETURNING d.id AS "deviceId", a.queued_at AS "queuedAt"`,
      [from, unsent, sent, at, found.map(({ number }) => number)],
    )
    const isLast = found.length < limit
    return { ended, next: isLast ? undefined : { from: found.at(-1)?.expiresAt ?? from, limit: PAGE } }
  }

  async function isAnyDue({ unsent, sent }: DueLimits): Promise<boolean> {
    const due = await database.read('outbox.expire any', `SELECT 1 FROM announcements WHERE ${DUE} LIMIT 1`, [
      0,
      unsent,
      sent,
    ])
    return due.length > 0
  }

  async function endAll(limits: DueLimits, at: number) {
    await inPages<Page>({ from: 0, limit: FIRST_PAGE }, async (page) => {
      const { ended, next } = await database.write((tx) => endPage(tx, limits, at, page))
      for (const { deviceId, queuedAt } of ended) {
        observe('expired', at - queuedAt)
        untold.add(deviceId)
      }
      return next
    })
  }

  return async function expire(at, ackedBy = at) {
    const limits = rules.dueLimits(at, ackedBy)
    // The hub asks every second, and almost always nothing is due: then there is no transaction.
    if (await isAnyDue(limits)) await endAll(limits, at)
    const deviceIds = [...untold]
    untold.clear()
    return deviceIds
  }
}
