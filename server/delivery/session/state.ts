import { type Command, type CommandEnd, isReplaced, rankOf } from './command.ts'
import type { Effect, Rules, Sent, SessionState } from './effects.ts'
import type { Ack, SessionRules } from './ports.ts'

/*
 * The commands of one session as a state machine. Each function is one event: it changes the state, and returns what is
 * to be done, in order. session.ts does it: nothing is stored, sent or awaited here.
 *
 *   queued ──next──▶ storing ──stored──▶ unanswered ──ackStored──▶ received ──ackStored──▶ ended
 *                                            └──timeOver──▶ overdue ──ackStored──▶ received
 *
 *  - `storing`: its number, and that it is sent, are being stored. It blocks the queue.
 *  - `unanswered`: it was sent. It blocks the queue: one command at a time (sb/1 7.2).
 *  - `received`: the device has received it, and has not ended it. A device that says one announcement at a time gets no
 *    other one until then.
 *  - `overdue`: it got no answer for so long that it no longer blocks the other classes (sb/1 7.3).
 *  - `ended`: it is not in the state any more. A command may end in every phase.
 * Where a repeat may sound again, there is no `overdue`: the connection is reset.
 */

const NEXT: Effect = { type: 'next' }
const DROPPED: CommandEnd = { kind: 'dropped' }
const NONE: readonly Command[] = []

export function newState(): SessionState {
  return { phase: 'unborn', queue: NONE, sent: [], inFlight: undefined, busyUntil: 0 }
}

export function isIdle(state: SessionState, rules: Rules): boolean {
  const { phase, queue, inFlight } = state
  return phase === 'open' && inFlight === undefined && queue.length === 0 && mayAnnounce(state, rules)
}

export function find({ sent }: SessionState, commandId: string): Sent | undefined {
  return sent.find(({ command }) => command.id === commandId)
}

/**
 * Drops all commands but verification codes. Nothing is sent yet: the caller pushes the welcome, which goes first. Where a
 * repeat may sound again, announcements that were sent stay sent.
 */
export function begin(state: SessionState, rules: Rules): Effect[] {
  state.phase = 'open'
  return startOver(state, isCode, rules)
}

export function hold(state: SessionState, rules: Rules): Effect[] {
  if (state.phase === 'open') state.phase = 'held'
  return startOver(state, isCode, rules)
}

export function end(state: SessionState): Effect[] {
  state.phase = 'ended'
  return startOver(state, () => false)
}

export function push(state: SessionState, command: Command): Effect[] {
  if (state.phase === 'ended') return dropped([command])
  const { queue, removed } = removeAll(state.queue, (older) => isReplaced(older, command))
  state.queue = [...queue, command]
  // A command that is still being stored was not sent: it is replaced as in the queue.
  const { inFlight } = state
  const isUnsent = inFlight?.phase === 'storing' && isReplaced(inFlight.command, command)
  return [...dropped(removed), ...(isUnsent ? finish(state, inFlight, DROPPED) : [NEXT])]
}

/**
 * Where a connection is reset to keep a message from arriving late, an announcement that was withdrawn must not arrive
 * either: its device was locked or released. One whose answer is being stored has arrived.
 */
export function withdraw(
  state: SessionState,
  which: (command: Command, isSent: boolean) => boolean,
  { rules }: Pick<Rules, 'rules'>,
): Effect[] {
  const { queue, removed } = removeAll(state.queue, (command) => which(command, false))
  state.queue = queue
  const sent = state.sent.filter(({ command, phase }) => which(command, phase !== 'storing'))
  const mayArrive = ({ command, phase, acksUnderWay }: Sent) =>
    phase === 'unanswered' && acksUnderWay === 0 && isAnnouncement(command)
  const resets = rules.pacing.unanswered === 'reset' && sent.some(mayArrive)
  const reset: Effect[] = resets ? [{ type: 'reset' }] : []
  return [...reset, ...dropped(removed), ...sent.flatMap((one) => finish(state, one, DROPPED))]
}

/** Unless a command blocks it, the queue gives the next one. Commands that have waited for too long are dropped. */
export function next(state: SessionState, rules: Rules): Effect[] {
  const { pacing } = rules.rules
  const { inFlight } = state
  const isBlocked = inFlight?.phase === 'storing' || inFlight?.phase === 'unanswered'
  if (!isBlocked) state.inFlight = undefined
  if (isBlocked || state.phase !== 'open') return []
  const deadline = rules.clock.now() + pacing.leastTimeToLiveMs
  const { queue, removed } = removeAll(state.queue, ({ expiresAt }) => expiresAt < deadline)
  state.queue = queue
  const command = firstOf(queue, mayAnnounce(state, rules))
  if (!command) return [...dropped(removed), ...afterBusy(state, rules)]
  state.queue = queue.filter((other) => other !== command)
  const none = {
    firstAt: 0,
    resends: 0,
    acksUnderWay: 0,
    timer: 'resend',
    cancelTimer: () => undefined,
  } as const
  const sent: Sent = { command, phase: 'storing', ...none }
  state.sent = [...state.sent, sent]
  state.inFlight = sent
  return [...dropped(removed), { type: 'store', sent }]
}

/** The first command of the lowest rank. */
function firstOf(queue: readonly Command[], announces: boolean): Command | undefined {
  let first: Command | undefined
  for (const command of queue) {
    const mayGo = announces || !isAnnouncement(command)
    if (mayGo && (first === undefined || rankOf(command) < rankOf(first))) first = command
  }
  return first
}

/** Calls `next` again when the device is not busy any more, and an announcement waits for that. */
function afterBusy({ queue, busyUntil }: SessionState, { clock }: Rules): Effect[] {
  const ms = busyUntil - clock.elapsed()
  return ms > 0 && queue.some(isAnnouncement) ? [{ type: 'nextLater', ms }] : []
}

/**
 * Whether an announcement may be sent now. No later one may overtake one that the device has not received: it would take
 * the lower number for a repeat, and answer "played" for an announcement that nobody has heard.
 */
function mayAnnounce({ sent, busyUntil }: SessionState, { rules, clock }: Rules): boolean {
  const waitsForEnd = rules.playedWithinMs !== undefined
  const isPending = ({ command, phase }: Sent) =>
    isAnnouncement(command) && (waitsForEnd || phase !== 'received')
  return busyUntil <= clock.elapsed() && !sent.some(isPending)
}

/** `commandNumber`: it may be sent under this number. Undefined: it has ended. */
export function stored(state: SessionState, sent: Sent, commandNumber: number | undefined, rules: Rules) {
  // Withdrawn or started over meanwhile: the number stays unused.
  if (sent.phase === 'ended') return []
  if (commandNumber === undefined) return finish(state, sent, DROPPED)
  // A code that `begin` keeps is sent again under the same number (sb/1 6.1).
  sent.command.commandNumber = commandNumber
  sent.phase = 'unanswered'
  sent.firstAt = rules.clock.elapsed()
  return transmit(state, sent, rules)
}

function transmit(state: SessionState, sent: Sent, rules: Rules): Effect[] {
  if (sent.command.expiresAt - rules.clock.now() >= rules.rules.pacing.leastTimeToLiveMs)
    return [{ type: 'send', sent }, awaitAnswer(sent, rules)]
  return sent.resends === 0 ? finish(state, sent, DROPPED) : expire(state, sent, rules)
}

/** Waits until the command is sent again, or was sent for the last time and no longer blocks the queue. */
function awaitAnswer(sent: Sent, { rules: { pacing }, clock }: Rules): Effect {
  const resendAfterMs = pacing.resendAfterMs[sent.resends]
  sent.timer = resendAfterMs === undefined ? 'overdue' : 'resend'
  return { type: 'wait', sent, ms: sent.firstAt + (resendAfterMs ?? pacing.yieldAfterMs) - clock.elapsed() }
}

export function timeOver(state: SessionState, sent: Sent, rules: Rules): Effect[] {
  switch (sent.timer) {
    case 'resend':
      sent.resends += 1
      return [sent.acksUnderWay > 0 ? awaitAnswer(sent, rules) : { type: 'check', sent }]
    case 'overdue':
      if (rules.rules.pacing.unanswered === 'reset') return resetUnanswered(sent, rules)
      // A late ack still counts until the command expires.
      if (sent.phase === 'unanswered') sent.phase = 'overdue'
      sent.timer = 'expiry'
      return [{ type: 'wait', sent, ms: sent.command.expiresAt - rules.clock.now() }, NEXT]
    case 'expiry':
      return expire(state, sent, rules)
    case 'last_ack':
      return finish(state, sent, DROPPED)
    case 'unproven':
      return finish(state, sent, { kind: 'unproven' })
  }
}

/** While its answer is being stored, the connection stays. */
function resetUnanswered(sent: Sent, { rules: { pacing } }: Rules): Effect[] {
  if (sent.phase !== 'unanswered') return []
  return [sent.acksUnderWay > 0 ? { type: 'wait', sent, ms: pacing.yieldAfterMs } : { type: 'reset' }]
}

/** `isValid`: it may be sent again. Undefined: this can't be read now. */
export function checked(state: SessionState, sent: Sent, isValid: boolean | undefined, rules: Rules) {
  if (sent.phase === 'ended') return []
  if (isValid === false) return finish(state, sent, DROPPED)
  return isValid && sent.acksUnderWay === 0 ? transmit(state, sent, rules) : [awaitAnswer(sent, rules)]
}

/**
 * A command has expired. An announcement that got no answer to all its sendings was not heard. One that was sent only
 * just in time may be playing: the sweep gives its ack more time, and the next announcement waits a while for that
 * ack. Why: a power cut while the next one sounds would leave a `played` that does not prove this one.
 */
function expire(state: SessionState, sent: Sent, { rules: { pacing }, clock }: Rules): Effect[] {
  if (!isAnnouncement(sent.command) || sent.phase === 'received') return finish(state, sent, DROPPED)
  const ms = sent.firstAt + pacing.yieldAfterMs - clock.elapsed()
  if (ms <= 0) return finish(state, sent, { kind: 'unheard' })
  sent.timer = 'last_ack'
  return [{ type: 'wait', sent, ms }]
}

/** An ack is about to be stored. False: its command was sent under another number. */
export function ackArrived(state: SessionState, { commandId, commandNumber }: Ack): boolean {
  const sent = find(state, commandId)
  if (!sent || sent.phase === 'storing') return true
  const isIts = sent.command.commandNumber === commandNumber
  if (isIts) sent.acksUnderWay += 1
  return isIts
}

/** Undefined: no such command was sent. */
export function ackStored(state: SessionState, ack: Ack, { rules, clock }: Rules): Effect[] | undefined {
  const sent = find(state, ack.commandId)
  if (!sent || sent.phase === 'storing' || sent.command.commandNumber !== ack.commandNumber) return undefined
  // An ack that came before a new birth was not counted with the commands that were sent since.
  if (sent.acksUnderWay > 0) sent.acksUnderWay -= 1
  if (ack.stage === 'failed')
    return finish(state, sent, { kind: 'failed', reason: ack.reason ?? 'unsupported' })
  if (ack.stage === rules.proof[sent.command.body.kind]) {
    const busyUntil = clock.elapsed() + (rules.busyMs?.(sent.command.body) ?? 0)
    state.busyUntil = Math.max(state.busyUntil, busyUntil)
    return finish(state, sent, { kind: 'done' })
  }
  sent.phase = 'received'
  return [...awaitProof(sent, rules), { type: 'received', command: sent.command }, NEXT]
}

/** The device has so long to report that it has played the announcement. */
function awaitProof(sent: Sent, { playedWithinMs }: SessionRules): Effect[] {
  if (playedWithinMs === undefined || sent.timer === 'unproven') return []
  sent.timer = 'unproven'
  return [
    { type: 'cancel', sent },
    { type: 'wait', sent, ms: playedWithinMs },
  ]
}

export function finish(state: SessionState, sent: Sent, end: CommandEnd): Effect[] {
  sent.phase = 'ended'
  state.sent = state.sent.filter((other) => other !== sent)
  return [{ type: 'cancel', sent }, { type: 'ended', command: sent.command, end }, NEXT]
}

/** Those that are kept wait in the queue again. With `rules`, announcements that must not be sent again stay sent. */
function startOver(state: SessionState, isKept: (command: Command) => boolean, rules?: Rules): Effect[] {
  const staysSent = ({ command, phase }: Sent) =>
    rules?.rules.pacing.unanswered === 'reset' && isAnnouncement(command) && phase !== 'storing'
  const over = state.sent.filter((one) => !staysSent(one))
  for (const one of over) one.phase = 'ended'
  const all = [...over.map(({ command }) => command), ...state.queue]
  const { queue, removed } = removeAll(all, (command) => !isKept(command))
  state.queue = queue
  state.sent = state.sent.filter(staysSent)
  if (state.inFlight?.phase === 'ended') state.inFlight = undefined
  return [...over.map((one) => ({ type: 'cancel', sent: one }) as const), ...dropped(removed)]
}

/** Both lists keep the order. */
function removeAll(queue: readonly Command[], which: (command: Command) => boolean) {
  if (!queue.some(which)) return { queue, removed: NONE }
  return { queue: queue.filter((command) => !which(command)), removed: queue.filter(which) }
}

const isCode = ({ body }: Command) => body.kind === 'code'
const isAnnouncement = ({ body }: Command) => body.kind === 'announce'

function dropped(commands: readonly Command[]): Effect[] {
  return commands.map((command) => ({ type: 'ended', command, end: DROPPED }))
}
