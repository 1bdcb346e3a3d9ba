import type { Stage } from '../../../announcements/stages.ts'
import type { StorageRules } from '../../rules.ts'
import type { Orm } from '../engine/database.ts'
import { OPEN } from './announcement-conditions.ts'

/** A step of one announcement. It counts only for the device and the command number of the announcement. */
interface Step {
  id: string
  commandNumber: number
  deviceId: string
  at: number
  reason: string | null
}

type AckedStage = Extract<Stage, 'received' | 'played' | 'failed' | 'expired'>

/** An announcement that has moved. Undefined in its place: it was at that stage or past it, or has another number. */
interface Moved {
  queuedAt: number
}

/** Moves one announcement forward, inside a commit: the statements of a payment's acks. */
export function createStageRows(
  { $client: sqlite }: Orm,
  { stagesBefore }: Pick<StorageRules, 'stagesBefore'>,
) {
  const mayMoveTo = (stage: Stage) => {
    const before = stagesBefore(stage).map((from) => `'${from}'`)
    return `stage IN (${before.join(', ')})`
  }
  const markSent = sqlite.prepare<[at: number, id: string], Moved>(
    `UPDATE announcements SET stage = 'sent', sent_at = ?
     WHERE id = ? AND ${mayMoveTo('sent')}
     RETURNING queued_at AS queuedAt`,
  )
  const open = sqlite.prepare<[id: string], number>(`SELECT 1 FROM announcements WHERE id = ? AND ${OPEN}`)

  // The device is checked by its row id: a payment has just read that row, but not the index on the device's id.
  const move = (stage: AckedStage, alsoSet = '') =>
    sqlite.prepare<[Step], Moved>(
      `UPDATE announcements SET stage = '${stage}', ${stage}_at = @at${alsoSet}
       WHERE id = @id AND n = @commandNumber AND ${mayMoveTo(stage)}
         AND (SELECT d.id FROM devices d WHERE d.number = device_number) = @deviceId
       RETURNING queued_at AS queuedAt`,
    )
  const moves = {
    received: move('received'),
    played: move('played'),
    failed: move('failed', ', reason = @reason'),
    expired: move('expired', ', reason = @reason'),
  }

  return {
    markSent: (id: string, at: number) => markSent.get(at, id),
    isOpen: (id: string) => open.get(id) !== undefined,
    reach: (stage: AckedStage, step: Step) => moves[stage].get(step),
  }
}
