import type { Outbox } from '../../../announcements/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { OPEN } from '../../shared/announcement-conditions.ts'
import { NOT_REGISTERED } from '../../shared/screen-mapping.ts'
import { type Engine, row, rows } from '../act.ts'
import type { MissedMarks } from '../devices/missed-marks.ts'
import { createAcks, type OutboxActs } from './acks.ts'
import { createBegin } from './begin.ts'
import { createClockSetBack } from './clock-set-back.ts'
import { createExpire } from './expire.ts'
import { createMissed } from './missed.ts'
import { createMoves } from './moves.ts'
import { createReadOpen } from './open-announcements.ts'
import { createOwned } from './owned.ts'
import { createReadScreens } from './screens.ts'

/** Longer than 70 lines: a list of acts that stand alone. */
export function createOutbox(
  engine: Engine,
  own: OutboxActs,
  { markMissedShown }: Pick<MissedMarks, 'markMissedShown'>,
  rules: StorageRules,
  observer: Pick<StorageObserver, 'stage'>,
): Outbox {
  const { reading, gathered, perRow, open } = engine
  const { states } = own
  const announcements = createMoves(engine)
  const readOpen = createReadOpen(engine)
  const readScreens = createReadScreens(engine, rules)
  const openOf = perRow(
    'outbox.isOpen',
    { id: 'text' },
    ({ id }, given) => `SELECT a.id FROM ${given.rows} announcements a WHERE a.id = ${id} AND ${OPEN}`,
  )

  return {
    ...createOwned(engine, states, readOpen, observer),
    ...createAcks(engine, own, announcements, rules, observer),
    expire: createExpire(engine, rules, observer),
    clockSetBack: createClockSetBack(engine, rules),
    begin: createBegin(engine, { states, announcements, readOpen, readScreens }, rules, observer),
    missed: createMissed(engine, states),
    markMissedShown,

    highestNumber: reading(function* (deviceId) {
      return (yield* states.find(deviceId))?.n ?? 0
    }),

    open: reading(function* (deviceId, at, after = 0) {
      const [found = []] = yield* readOpen([{ deviceId, at, after }])
      return found.map(({ announcement }) => announcement)
    }),

    isOpen: gathered('outbox.isOpen', function* (ids) {
      const opened = yield* openOf<{ id: string }>(ids.map((id) => ({ id })))
      const found = new Set(opened.map(({ id }) => id))
      return ids.map((id) => found.has(id))
    }),

    waiting: reading(function* (at, before) {
      const found = yield* rows<{ id: string }>(
        'outbox.waiting',
        `SELECT d.id FROM ${open.from} JOIN devices d ON d.number = a.device_number
         WHERE ${OPEN} AND ${open.by}.expires_at > $1 AND a.stage = 'queued' AND a.queued_at < $2
           AND ${states.isNotElsewhere}`,
        [at, before, states.hub],
      )
      // DISTINCT would build a table in SQLite's memory at each call.
      return [...new Set(found.map(({ id }) => id))]
    }),

    backlog: reading(function* () {
      // All announcements are fresh for the same time: the one that expires first is the oldest. There is an index for that.
      const found = yield* row<{ open: number; oldestQueuedAt: number | null }>(
        'outbox.backlog',
        `SELECT (SELECT count(*) FROM ${open.from} WHERE ${OPEN}) AS open, (
           SELECT queued_at FROM ${open.from} WHERE ${OPEN} ORDER BY ${open.by}.expires_at LIMIT 1
         ) AS "oldestQueuedAt"`,
      )
      return { open: found?.open ?? 0, oldestQueuedAt: found?.oldestQueuedAt ?? undefined }
    }),

    screen: reading(function* (deviceId, at) {
      const device = yield* row<{ rowId: number; active: boolean | number }>(
        'outbox.screen device',
        'SELECT number AS "rowId", active FROM devices WHERE id = $1',
        [deviceId],
      )
      if (!device) return NOT_REGISTERED
      const [screen] = yield* readScreens([{ device: device.rowId, isActive: Boolean(device.active), at }])
      return screen ?? NOT_REGISTERED
    }),
  }
}
