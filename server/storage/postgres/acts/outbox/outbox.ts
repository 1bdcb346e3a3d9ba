import type { Outbox } from '../../../../announcements/ports.ts'
import type { MissedMarks } from '../../../acts/devices/missed-marks.ts'
import type { StorageObserver } from '../../../ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { OPEN } from '../../../shared/announcement-conditions.ts'
import type { PostgresDatabase } from '../../engine/database.ts'
import { createAcks } from './acks.ts'
import { createBegin } from './begin.ts'
import { createClockSetBack } from './clock-set-back.ts'
import { createExpire } from './expire.ts'
import { createMissed } from './missed.ts'
import { readOpen } from './open-announcements.ts'
import { createOwned } from './owned.ts'
import { createReadScreens } from './screens.ts'

export function createOutbox(
  database: PostgresDatabase,
  { markMissedShown }: Pick<MissedMarks, 'markMissedShown'>,
  rules: StorageRules,
  observer: Pick<StorageObserver, 'stage'>,
  hub: string | undefined,
): Outbox {
  const { read } = database
  const isOpen = database.gathered<string, boolean>('outbox.isOpen', async (query, ids) => {
    const open = await query<{ id: string }>(
      'outbox.isOpen',
      `SELECT id FROM announcements WHERE id = ANY($1::text[]) AND ${OPEN}`,
      [ids],
    )
    const found = new Set(open.map(({ id }) => id))
    return ids.map((id) => found.has(id))
  })
  const readScreens = createReadScreens(database.vault, rules)
  return {
    ...createOwned(database, observer),
    ...createAcks(database, rules, observer),
    expire: createExpire(database, rules, observer),
    clockSetBack: createClockSetBack(database, rules),
    begin: createBegin(database, readScreens, rules, observer, hub),
    missed: createMissed(database),
    markMissedShown,

    async highestNumber(deviceId) {
      const [row] = await read<{ n: number }>(
        'outbox.highestNumber',
        'SELECT s.n FROM devices d JOIN device_state s ON s.device_number = d.number WHERE d.id = $1',
        [deviceId],
      )
      return row?.n ?? 0
    },

    async open(deviceId, at, after = 0) {
      const [open = []] = await readOpen(read, [{ deviceId, at, after }])
      return open.map(({ announcement }) => announcement)
    },

    isOpen,

    async waiting(at, before) {
      const rows = await read<{ id: string }>(
        'outbox.waiting',
        `SELECT DISTINCT d.id
         FROM announcements a
         JOIN device_state s ON s.device_number = a.device_number
           AND (s.session_id IS NULL OR s.hub IS NOT DISTINCT FROM $3)
         JOIN devices d ON d.number = a.device_number
         WHERE ${OPEN} AND a.expires_at > $1 AND a.stage = 'queued' AND a.queued_at < $2`,
        [at, before, hub ?? null],
      )
      return rows.map(({ id }) => id)
    },

    async backlog() {
      // All announcements are fresh for the same time: the one that expires first is the oldest. There is an index for that.
      const [row] = await read<{ open: number; oldestQueuedAt: number | null }>(
        'outbox.backlog',
        `SELECT (SELECT count(*) FROM announcements WHERE ${OPEN}) AS open,
           (SELECT queued_at FROM announcements WHERE ${OPEN} ORDER BY expires_at LIMIT 1) AS "oldestQueuedAt"`,
      )
      return { open: row?.open ?? 0, oldestQueuedAt: row?.oldestQueuedAt ?? undefined }
    },

    async screen(deviceId, at) {
      const [screen] = await readScreens(read, [{ deviceId, at }])
      if (!screen) throw new Error('each device has a screen')
      return screen
    },
  }
}
