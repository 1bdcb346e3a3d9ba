import type { DueLimits } from '../../../announcements/expiry.ts'
import type { Outbox } from '../../../announcements/ports.ts'
import { OWN_DIALECT } from '../../../devices/device.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { OPEN } from '../../shared/announcement-conditions.ts'
import { FIRST_PAGE, PAGE, type Page } from '../../shared/pages.ts'
import { type Act, type Engine, rows } from '../act.ts'

interface Ended {
  stage: 'expired' | 'delivered'
  deviceId: string
  queuedAt: number
}

/** Up to `limit` of those with the earliest end, not before `from`. */
interface Cursor {
  from: number
  limit: number
}

/**
 * Ends announcements page by page. Hubs that do so at once meet at the rows: who waits for a row finds it expired, and
 * leaves it.
 */
export function createExpire(
  { reading, inPages, among, forChange, open }: Engine,
  rules: Pick<StorageRules, 'dueLimits'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Outbox['expire'] {
  const isDue = `${OPEN} AND (a.stage = 'queued' OR a.expires_at <= $3)`
  // Of a speaker of another maker: it has the announcement, or may have it.
  const isTaken = `stage = 'received' AND proof IS NOT NULL`
  const isOfBox = `(SELECT d.dialect FROM devices d WHERE d.number = device_number) <> '${OWN_DIALECT}'`
  const due = `${open.from} WHERE ${open.by}.expires_at >= $1 AND ${open.by}.expires_at <= $2 AND ${isDue}`

  /** Devices that have missed something, and that no answer has named yet: a later page may have failed. */
  const untold = new Set<string>()

  /** Ends a page. There may be fewer than were found: another hub has ended the others meanwhile. */
  function* endPage(
    { unsent, sent }: DueLimits,
    at: number,
    { from, limit }: Cursor,
  ): Act<Page<Cursor, Ended[]>> {
    const found = yield* rows<{ number: number; expiresAt: number }>(
      'outbox.expire find',
      `SELECT a.number, a.expires_at AS "expiresAt" FROM ${due} ORDER BY ${open.by}.expires_at LIMIT $4`,
      [from, unsent, sent, limit],
    )
    const ended = yield* rows<Ended>(
      'outbox.expire',
      `WITH page AS MATERIALIZED (
         SELECT a.number FROM announcements a
         WHERE ${among('a.number', '$5', 'bigint')} AND a.expires_at BETWEEN $1 AND $2 AND ${isDue}
         ORDER BY a.number ${forChange('a')}
       )
       UPDATE announcements SET stage = CASE WHEN ${isTaken} THEN 'delivered' ELSE 'expired' END,
         played_at = CASE WHEN ${isTaken} THEN cast($4 AS bigint) END,
         expired_at = CASE WHEN ${isTaken} THEN NULL ELSE cast($4 AS bigint) END,
         reason = CASE WHEN stage = 'sent' AND ${isOfBox} THEN 'unconfirmed' ELSE reason END
       FROM page WHERE announcements.number = page.number
       RETURNING stage, (SELECT d.id FROM devices d WHERE d.number = device_number) AS "deviceId", queued_at AS "queuedAt"`,
      [from, unsent, sent, at, found.map(({ number }) => number)],
    )
    const isLast = found.length < limit
    const next = isLast ? undefined : { from: found.at(-1)?.expiresAt ?? from, limit: PAGE }
    return { value: ended, next }
  }

  const isAnyDue = reading(function* ({ unsent, sent }: DueLimits) {
    const found = yield* rows('outbox.expire any', `SELECT 1 FROM ${due} LIMIT 1`, [0, unsent, sent])
    return found.length > 0
  })

  return async function expire(at, ackedBy = at) {
    const limits = rules.dueLimits(at, ackedBy)
    // The hub asks every second, and almost always nothing is due: then there is no transaction.
    if (await isAnyDue(limits))
      await inPages(
        { from: 0, limit: FIRST_PAGE },
        (cursor: Cursor) => endPage(limits, at, cursor),
        (ended) => {
          for (const { stage, deviceId, queuedAt } of ended) {
            observe(stage, at - queuedAt)
            if (stage === 'expired') untold.add(deviceId)
          }
        },
      )
    const deviceIds = [...untold]
    untold.clear()
    return deviceIds
  }
}
