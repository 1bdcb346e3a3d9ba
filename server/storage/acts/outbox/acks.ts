import type { AckOutcome, AckStep, Outbox, Owner } from '../../../announcements/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { type Act, type Engine, together } from '../act.ts'
import { type DeviceStates, ownedBy } from './device-states.ts'
import type { AckedRow, Move, Moves } from './moves.ts'

export interface AckCall {
  step: AckStep
  at: number
}

export interface Acked {
  outcome: AckOutcome
  queuedAt: number
  /** Undefined when the ack changes nothing. */
  move: Move | undefined
}

/** What each engine does in a way of its own. */
export interface OutboxActs {
  states: DeviceStates
  /** Records one ack. Undefined: many share a commit as one act. */
  recordAck: ((call: AckCall) => Promise<Acked>) | undefined
}

interface Sent {
  result: Awaited<ReturnType<Outbox['markSent']>>
  /** Undefined when it was sent before. */
  sinceQueuedMs: number | undefined
}

type Stages = Pick<StorageRules, 'stagesBefore' | 'provesMore'>

/** Acks and sends: they move announcements one by one, many in one commit. */
export function createAcks(
  { batched, lastly }: Engine,
  { states, recordAck: recordOne }: OutboxActs,
  announcements: Moves,
  rules: Stages,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Pick<Outbox, 'recordAck' | 'markSent'> {
  function* recordAll(calls: readonly AckCall[]): Act<Acked[]> {
    // What a device says is true whatever hub hears it, and needs no lock of the device.
    const judged = calls.flatMap(({ step }) => (step.judgedBy === undefined ? [] : [step.deviceId]))
    const ids = calls.map(({ step }) => step.announcementId)
    const [devices, rows] = yield* together(states.lock(judged), announcements.lock(ids))
    const acked = calls.map((call) => {
      const { announcementId, deviceId } = call.step
      return judgeAck(call, rows.get(announcementId), devices.get(deviceId)?.sessionId, rules)
    })
    yield* lastly(announcements.store(acked.flatMap(({ move }) => move ?? [])))
    return acked
  }
  const recordAck = recordOne ?? batched('outbox.recordAck', recordAll, { isPatient: true })

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
      const { outcome, queuedAt } = await recordAck({ step, at })
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

const NOTHING: Acked = { outcome: 'nothing', queuedAt: 0, move: undefined }

/**
 * Judges an ack of a locked announcement, whose row is then as the next ack of the batch finds it. `session` owns the
 * device; it is looked at only for an ack that a session has judged.
 */
export function judgeAck(
  { step, at }: AckCall,
  row: AckedRow | undefined,
  session: string | null | undefined,
  rules: Stages,
): Acked {
  const { commandNumber, deviceId, judgedBy, proof = null } = step
  const reason = step.reason ?? null
  const isFenced = judgedBy !== undefined && judgedBy !== session
  if (!row || row.n !== commandNumber || row.deviceId !== deviceId || isFenced) return NOTHING
  const to = reach(row, step, rules)
  if (to === undefined) return NOTHING
  return {
    outcome: OUTCOMES[to] ?? 'moved',
    queuedAt: row.queuedAt,
    move: { to, rowId: row.rowId, at, reason, proof },
  }
}

const OUTCOMES: Partial<Record<Move['to'], AckOutcome>> = {
  // A second `received` only lifts the mark of the first one.
  receivedAgain: 'nothing',
  proven: 'nothing',
  // What the hub has expired, and the device has played (sb/1 7.21).
  shown: 'no_longer_missed',
}

/** The move to a stage that also stores a proof. */
function provingMove(stage: AckStep['stage']): Move['to'] {
  if (stage === 'received') return 'taken'
  return stage === 'played' ? 'heard' : stage
}

function reach(
  row: AckedRow,
  { stage, reason, proof }: AckStep,
  { stagesBefore, provesMore }: Stages,
): Move['to'] | undefined {
  if (stagesBefore(stage).includes(row.stage)) {
    row.stage = stage
    row.reason = reason ?? null
    row.proof = proof ?? row.proof
    return proof === undefined ? stage : provingMove(stage)
  }
  const isTaken = stage === 'received' && row.stage === 'received'
  if (isTaken && proof !== undefined && provesMore(proof, row.proof ?? undefined)) {
    row.proof = proof
    return 'proven'
  }
  if (stage === 'received' && row.stage === 'received' && row.receivedVoidAt !== null) {
    row.receivedVoidAt = null
    return 'receivedAgain'
  }
  // What the hub itself has ended: a device has refused nothing.
  const isEndedHere = row.reason === null || row.reason === 'unconfirmed'
  const isMissed = row.stage === 'expired' && isEndedHere && row.missedShownAt === null
  if (stage !== 'played' || !isMissed) return undefined
  row.missedShownAt = 0
  return 'shown'
}
