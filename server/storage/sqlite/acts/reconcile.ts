import type { Outbox } from '../../../announcements/ports.ts'
import type { Stage } from '../../../announcements/stages.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { OpenDatabase } from '../engine/database.ts'
import { OPEN, UNSEEN } from '../rows/announcement-conditions.ts'
import type { CommandNumbers } from '../rows/command-numbers.ts'
import { withoutNulls } from '../rows/without-nulls.ts'

interface Row {
  rowId: number
  n: number
  stage: Stage
  sentAt: number | null
  receivedAt: number | null
  expiresAt: number
  reason: string | null
  queuedAt: number
}

/** Brings the announcements of one device in line with its birth: see the port. The rule is announcements/reconcile.ts. */
export function createReconcile(
  { orm, commits }: Pick<OpenDatabase, 'orm' | 'commits'>,
  numbers: CommandNumbers,
  rules: Pick<StorageRules, 'reconcile'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Outbox['reconcile'] {
  const sqlite = orm.$client
  const announcementsOf = (condition: string) =>
    sqlite.prepare<[deviceId: string], Row>(
      `SELECT number AS rowId, n, stage, sent_at AS sentAt, received_at AS receivedAt, expires_at AS expiresAt,
         reason, queued_at AS queuedAt
       FROM announcements
       WHERE device_number = (SELECT d.number FROM devices d WHERE d.id = ?) AND ${condition}`,
    )
  const open = announcementsOf(OPEN)
  const unseen = announcementsOf(UNSEEN)

  const update = (values: string) =>
    sqlite.prepare<[value: number, rowId: number]>(`UPDATE announcements SET ${values} WHERE number = ?`)
  const setPlayed = update("stage = 'played', played_at = ?")
  const setExpired = update("stage = 'expired', expired_at = ?")
  const setShown = update('missed_shown_at = ?')
  const setNumber = update('n = ?')

  return async function reconcile(deviceId, played, now) {
    const changes = await commits.write(() => {
      const stored = [...open.all(deviceId), ...unseen.all(deviceId)].map(withoutNulls)
      const found = rules.reconcile(stored, played, now)
      for (const { rowId } of found.played) setPlayed.run(now, rowId)
      for (const { rowId } of found.expired) setExpired.run(now, rowId)
      for (const { rowId } of found.shown) setShown.run(now, rowId)
      for (const { rowId } of found.renumbered) setNumber.run(numbers.takeFor(deviceId), rowId)
      return found
    })
    for (const { queuedAt } of changes.played) observe('played', now - queuedAt)
    for (const { queuedAt } of changes.expired) observe('expired', now - queuedAt)
  }
}
