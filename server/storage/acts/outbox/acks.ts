import type { AckOutcome, AckStep, Outbox, Owner } from '../../../announcements/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type Engine, together } from '../act.ts'
import { type DeviceStates, ownedBy } from './device-states.ts'
import type { AckedRow, Move, Moves } from './moves.ts'

interface Acked {
  outcome: AckOutcome
  queuedAt: number
}

interface Sent {
  result: Awaited<ReturnType<Outbox['markSent']>>
  /** Undefined when it was sent before. */
  sinceQueuedMs: number | undefined
}

type Stages = Pick<StorageRules, 'stagesBefore'>

/** Acks and sends: they move announcements one by one, many in one commit. */
export function createAcks(
  { batched, lastly }: Engine,
  states: DeviceStates,
  announcements: Moves,
  rules: Stages,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Pick<Outbox, 'recordAck' | 'markSent'> {
  const recordAcks = batched<{ step: AckStep; at: number }, Acked>('outbox.recordAck', function* (calls) {
    // What a device says is true whatever hub hears it, and needs no lock of the device.
    const judged = calls.flatMap(({ step }) => (step.judgedBy === undefined ? [] : [step.deviceId]))
    const ids = calls.map(({ step }) => step.announcementId)
    const [devices, rows] = yield* together(states.lock(judged), announcements.lock(ids))
    const moves: Move[] = []
    const acked = calls.map(({ step, at }): Acked => {
      const { announcementId, commandNumber, deviceId, judgedBy: sessionId } = step
      const row = rows.get(announcementId)
      const isFenced = sessionId !== undefined && !ownedBy(devices, { deviceId, sessionId })
      if (!row || row.n !== commandNumber || row.deviceId !== deviceId || isFenced)
        return { outcome: 'nothing', queuedAt: 0 }
      const to = reach(row, step, rules)
      if (to !== undefined) moves.push({ to, rowId: row.rowId, at, reason: step.reason ?? null })
      return { outcome: outcomeOf(to), queuedAt: row.queuedAt }
    })
    yield* lastly(announcements.store(moves))
    return acked
  })

  const markAllSent = batched<{ id: string; owner: Owner; at: number }, Sent>(
    'outbox.markSent',
    function* (calls) {
      const [devices, rows] = yield* together(
        states.lock(calls.map(({ owner }) => owner.deviceId)),
        announcements.lock(calls.map(({ id }) => id)),
      )
      const moves: Move[] = []
      const sent = calls.map(({ id, owner, at }): Sent => {
        const row = rows.get(id)
        if (!ownedBy(devices, owner)) return { result: 'not_owner', sinceQueuedMs: undefined }
        // Whatever is open may still be played.
        if (!row || !rules.stagesBefore('played').includes(row.stage))
          return { result: 'ended', sinceQueuedMs: undefined }
        if (!rules.stagesBefore('sent').includes(row.stage))
          return { result: 'sent', sinceQueuedMs: undefined }
        row.stage = 'sent'
        moves.push({ to: 'sent', rowId: row.rowId, at, reason: null })
        return { result: 'sent', sinceQueuedMs: at - row.queuedAt }
      })
      yield* lastly(announcements.store(moves))
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

/** Moves a locked announcement as an ack says. The row is then as the next ack of the batch finds it. */
function reach(
  row: AckedRow,
  { stage, reason }: Pick<AckStep, 'stage' | 'reason'>,
  { stagesBefore }: Stages,
): Move['to'] | undefined {
  if (stagesBefore(stage).includes(row.stage)) {
    Object.assign(row, { stage, reason: reason ?? null } satisfies Partial<AckedRow>)
    return stage
  }
  if (stage === 'received' && row.stage === 'received' && row.receivedVoidAt !== null) {
    row.receivedVoidAt = null
    return 'receivedAgain'
  }
  const isMissed = row.stage === 'expired' && row.reason === null && row.missedShownAt === null
  if (stage !== 'played' || !isMissed) return undefined
  row.missedShownAt = 0
  return 'shown'
}

function outcomeOf(to: Move['to'] | undefined): AckOutcome {
  // A second `received` only lifts the mark of the first one.
  if (to === undefined || to === 'receivedAgain') return 'nothing'
  // What the hub has expired, and the device has played (sb/1 7.21).
  return to === 'shown' ? 'no_longer_missed' : 'moved'
}
