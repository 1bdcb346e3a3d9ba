import type { AckOutcome, AckStep, Outbox, Owner } from '../../../../announcements/ports.ts'
import type { StorageObserver } from '../../../ports.ts'
import type { StorageRules } from '../../../rules.ts'
import type { PostgresDatabase } from '../../engine/database.ts'
import { lockDevices, ownedBy } from './device-locks.ts'
import { lockAnnouncements, reach, type StageRow, storeStages } from './stage-rows.ts'

interface Acked {
  outcome: AckOutcome
  queuedAt: number
}

interface Sent {
  result: Awaited<ReturnType<Outbox['markSent']>>
  /** Undefined when it was sent before. */
  sinceQueuedMs: number | undefined
}

/** Acks and sends: they move announcements one by one, many in one commit. */
export function createAcks(
  database: PostgresDatabase,
  rules: Pick<StorageRules, 'stagesBefore'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Pick<Outbox, 'recordAck' | 'markSent'> {
  const recordAcks = database.batched<{ step: AckStep; at: number }, Acked>(
    'outbox.recordAck',
    async (tx, calls) => {
      // What a device says is true whatever hub hears it, and needs no lock of the device.
      const judged = calls.flatMap(({ step }) => (step.judgedBy === undefined ? [] : [step.deviceId]))
      const [devices, rows] = await Promise.all([
        lockDevices(tx, judged),
        lockAnnouncements(
          tx,
          calls.map(({ step }) => step.announcementId),
        ),
      ])
      const changed = new Set<StageRow>()
      const acked = calls.map(({ step, at }): Acked => {
        const { announcementId, commandNumber, deviceId, judgedBy: sessionId } = step
        const row = rows.get(announcementId)
        const isFenced = sessionId !== undefined && !ownedBy(devices, { deviceId, sessionId })
        if (!row || row.n !== commandNumber || row.deviceId !== deviceId || isFenced)
          return { outcome: 'nothing', queuedAt: 0 }
        const reached = reach(row, step, at, rules)
        if (reached !== 'nothing') changed.add(row)
        return { outcome: reached === 'received_again' ? 'nothing' : reached, queuedAt: row.queuedAt }
      })
      const stored = storeStages(tx, [...changed])
      tx.end()
      await stored
      return acked
    },
  )

  const markAllSent = database.batched<{ id: string; owner: Owner; at: number }, Sent>(
    'outbox.markSent',
    async (tx, calls) => {
      const [devices, rows] = await Promise.all([
        lockDevices(
          tx,
          calls.map(({ owner }) => owner.deviceId),
        ),
        lockAnnouncements(
          tx,
          calls.map(({ id }) => id),
        ),
      ])
      const changed = new Set<StageRow>()
      const sent = calls.map(({ id, owner, at }): Sent => {
        const row = rows.get(id)
        if (!ownedBy(devices, owner)) return { result: 'not_owner', sinceQueuedMs: undefined }
        // Whatever is open may still be played.
        if (!row || !rules.stagesBefore('played').includes(row.stage))
          return { result: 'ended', sinceQueuedMs: undefined }
        if (!rules.stagesBefore('sent').includes(row.stage))
          return { result: 'sent', sinceQueuedMs: undefined }
        Object.assign(row, { stage: 'sent', sentAt: at } satisfies Partial<StageRow>)
        changed.add(row)
        return { result: 'sent', sinceQueuedMs: at - row.queuedAt }
      })
      const stored = storeStages(tx, [...changed])
      tx.end()
      await stored
      return sent
    },
  )

  return {
    async recordAck(step, at) {
      const { outcome, queuedAt } = await recordAcks({ step, at })
      if (outcome === 'moved') observe(step.stage, at - queuedAt)
      return outcome
    },

    async markSent(id, owner, at) {
      const { result, sinceQueuedMs } = await markAllSent({ id, owner, at })
      if (sinceQueuedMs !== undefined) observe('sent', sinceQueuedMs)
      return result
    },
  }
}
