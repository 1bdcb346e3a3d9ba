import type { Ack, ReasonCode } from '../../../protocol/messages/ack.ts'
import type { Effect } from './state/effects.ts'
import type { PendingAck, Step } from './state/state.ts'
import { chain, type DeviceState, emit, noEffects } from './state/state.ts'

/** Acks kept for the next session. The queue holds 32 sounds; the rest covers a hub that is slow to confirm. */
const MOST_PENDING_ACKS = 128
/** Failed commands remembered for their repeats. A hub has one in flight; 64 is ample. */
const MOST_FAILURES = 64

/** The part of a command that an ack names. */
export interface CommandRef {
  t: string
  id: string
  n: number
}

/** Tells the hub that a command has reached a stage. */
export function ackStage(
  state: DeviceState,
  { id, n }: CommandRef,
  st: 'received' | 'shown' | 'played',
): Step {
  return send(state, { t: 'ack', id, n, st })
}

/** Tells the hub that a command came again, and the stage it had reached. */
export function ackRepeat(
  state: DeviceState,
  { t, id, n }: CommandRef,
  stage: 'received' | 'shown' | 'played',
): Step {
  return chain(emit(state, { event: 'repeat', t, n, stage }), (next) =>
    send(next, { t: 'ack', id, n, st: stage, dup: true }),
  )
}

/** Ends a command as failed, and remembers it to give a repeat the same answer (sb/1 7.11). */
export function ackFailed(state: DeviceState, { t, id, n }: CommandRef, rc: ReasonCode): Step {
  const failures = [...state.failures, { id, rc }].slice(-MOST_FAILURES)
  return chain(emit({ ...state, failures }, { event: 'failed', t, n, rc }), (next) =>
    send(next, { t: 'ack', id, n, st: 'failed', rc }),
  )
}

/** The same for a sound that was received before. */
export function ackGivenUp(state: DeviceState, sound: CommandRef, rc: ReasonCode): Step {
  return ackFailed({ ...state, givenUp: [...state.givenUp, sound.id] }, sound, rc)
}

/**
 * Whether the hub has not stored yet that a received sound was given up. Nothing may be spoken meanwhile: a power cut
 * would leave a number in `played` by which that one counts as played, too (sb/1 7.19).
 */
export function isGivingUp(state: DeviceState): boolean {
  return state.pendingAcks.some(({ body }) => body.st === 'failed' && state.givenUp.includes(body.id))
}

/**
 * Drops the acks `received`: at a birth they are void (sb/1 7.20), and the hub would take them for acks of the commands
 * that it sends again.
 */
export function withoutReceived({ pendingAcks }: DeviceState): PendingAck[] {
  return pendingAcks.filter(({ body }) => body.st !== 'received')
}

/** The answer to a command that failed before; undefined when it did not. */
export function repeatFailure(state: DeviceState, { t, id, n }: CommandRef): Step | undefined {
  const failure = state.failures.find((known) => known.id === id)
  if (!failure) return undefined
  return chain(emit(state, { event: 'repeat', t, n, stage: 'failed' }), (next) =>
    send(next, { t: 'ack', id, n, st: 'failed', rc: failure.rc, dup: true }),
  )
}

/** Sends every ack that the hub has not stored again in the new session (sb/1 7.4). */
export function resendAcks(state: DeviceState): Step {
  return { state, effects: state.pendingAcks.flatMap((pending) => publishAck(state, pending)) }
}

/** The hub has stored an ack: forget it. */
export function ackStored(state: DeviceState, token: number): Step {
  const pendingAcks = state.pendingAcks.filter((ack) => ack.token !== token)
  const givenUp = state.givenUp.filter((id) => pendingAcks.some(({ body }) => body.id === id))
  return noEffects({ ...state, pendingAcks, givenUp })
}

/**
 * Keeps the ack until the hub has stored it, and publishes it when there is a session. A later stage of a command
 * replaces an earlier one, because stages only move forward.
 */
function send(state: DeviceState, body: Ack): Step {
  const pending = { token: state.nextToken, body }
  const others = state.pendingAcks.filter((ack) => ack.body.id !== body.id)
  const next = {
    ...state,
    nextToken: state.nextToken + 1,
    pendingAcks: [...others, pending].slice(-MOST_PENDING_ACKS),
  }
  return { state: next, effects: state.link.phase === 'welcomed' ? publishAck(state, pending) : [] }
}

/** Publishes an ack once, or as the faults say. A dropped ack stays pending. */
function publishAck({ faults }: DeviceState, { token, body }: PendingAck): Effect[] {
  if (faults.includes('drop-acks'))
    return [{ type: 'emit', event: { event: 'dropped', n: body.n, stage: body.st } }]
  const publish: Effect = { type: 'publish', message: { kind: 'ack', body, token } }
  return faults.includes('repeat-acks') ? [publish, publish] : [publish]
}
