import type { AnyCommand, Command, CommandBody } from '../../../protocol/messages/command.ts'
import { ackFailed, ackRepeat, ackStage } from './acks.ts'
import { displayOf, isLocked } from './display.ts'
import { isPast, pastAtMs } from './state/hub-time.ts'
import type { ClearedWhy } from './state/speaker-events.ts'
import { chain, type DeviceState, emit, noEffects, type Step, type Timer } from './state/state.ts'

/**
 * How long the amount of a payment stays on the screen, from the first word on: the sentence of the largest amounts
 * takes as long, and after that of a small one the cashier still has time to look up and compare.
 */
export const PAYMENT_MS = 6_000
/** How long the notice of missed payments is visible unless somebody dismisses it (sb/1 7.23). */
export const MISSED_MS = 10 * 60_000

export type ScreenCommand = Extract<AnyCommand, { t: 'profile' | 'code' | 'qr' | 'clear' | 'missed' }>

/**
 * Handles a screen command. It applies only when its number is above the last one shown in this session: numbers rise,
 * so a late repeat can't restore an old code or QR (sb/1 7.6).
 */
export function onScreenCommand(state: DeviceState, command: ScreenCommand, nowMs: number): Step {
  if (state.link.phase !== 'welcomed') return noEffects(state)
  if (command.n <= state.link.shown)
    return ackRepeat(state, command, state.missed?.unseen?.id === command.id ? 'received' : 'shown')
  if (isPast(state, command.at + command.ttl, nowMs) || isPast(state, contentExpiry(command), nowMs))
    return ackFailed(state, command, 'expired')
  if (state.faults.includes('broken-display')) return ackFailed(state, command, 'display_failed')
  // A locked speaker would invite a payment that it does not announce (sb/1 6.7).
  if (command.t === 'qr' && isLocked(state)) return ackFailed(state, command, 'not_ready')
  const received = ackStage({ ...state, link: { ...state.link, shown: command.n } }, command, 'received')
  // Nobody has seen a notice that something covers: `watchNotice` acks it.
  if (command.t === 'missed') return { ...received, state: withNotice(received.state, command) }
  return chain(
    chain(received, (next) => show(next, command)),
    (next) => ackStage(next, command, 'shown'),
  )
}

/** Remove what has expired from the screen (sb/1 6.5). */
export const screenTimers: readonly Timer[] = [
  {
    dueAtMs: ({ payment }) => payment?.untilMs,
    fire: (state) => noEffects({ ...state, payment: undefined }),
  },
  // "Paid" stays until its sentence says so.
  {
    dueAtMs: ({ paid, queue }) => (queue.some(({ n }) => n === paid?.n) ? undefined : paid?.untilMs),
    fire: (state) => noEffects({ ...state, paid: undefined }),
  },
  {
    dueAtMs: ({ missed }) =>
      missed?.seenSinceMs === undefined ? undefined : missed.seenSinceMs + missed.leftMs,
    fire: (state) => noEffects({ ...state, missed: undefined }),
  },
  expiryTimer('code'),
  expiryTimer('qr'),
]

function expiryTimer(what: 'code' | 'qr'): Timer {
  return {
    dueAtMs: (state) => state[what] && pastAtMs(state, state[what].exp),
    fire: (state) => clear(state, what, 'expired'),
  }
}

/**
 * Starts and stops the clock of the notice of missed payments with its place on the screen. When it is there for the
 * first time, tells the hub that it is shown: earlier, a power cut could end a notice that nobody has seen, and the hub
 * would not send it again (sb/1 7.23).
 */
export function watchNotice(state: DeviceState, nowMs: number): Step {
  const { missed } = state
  if (!missed) return noEffects(state)
  const { count, amount, leftMs, seenSinceMs, unseen } = missed
  const isSeen = displayOf(state, nowMs).screen === 'missed'
  if (isSeen === (seenSinceMs !== undefined)) return noEffects(state)
  if (seenSinceMs !== undefined) {
    const rest = { leftMs: leftMs - (nowMs - seenSinceMs), seenSinceMs: undefined }
    return noEffects({ ...state, missed: { ...missed, ...rest } })
  }
  const seen = { ...state, missed: { ...missed, seenSinceMs: nowMs, unseen: undefined } }
  if (!unseen) return noEffects(seen)
  return chain(emit(seen, { event: 'missed', n: unseen.n, count, amount }), (next) =>
    ackStage(next, unseen, 'shown'),
  )
}

/** Somebody dismisses the notice of missed payments. Nobody dismisses what is not on the screen. */
export function onDismiss(state: DeviceState): Step {
  return noEffects(state.missed?.seenSinceMs === undefined ? state : { ...state, missed: undefined })
}

/**
 * Shows the amount of a payment while its sentence sounds, and for `PAYMENT_MS` at least, unless the next one starts
 * earlier. Money of another shop is not shown (sb/1 7.13).
 */
export function paymentOnScreen(
  state: DeviceState,
  n: number,
  { amount }: CommandBody<'announce'>,
  spoken: { sinceMs: number; untilMs: number },
): DeviceState {
  if (state.linked === false) return state
  const hasPaid = state.paid?.n === n ? state.paid : undefined
  const untilMs = Math.max(spoken.untilMs, spoken.sinceMs + PAYMENT_MS)
  const payment = { n, amount, untilMs, ...(hasPaid && { bill: hasPaid.bill }) }
  return { ...state, payment, paid: hasPaid ? undefined : state.paid }
}

/**
 * Shows "paid" when a received announcement pays the QR on the screen. It does not wait for the sound (sb/1
 * 7.12).
 */
export function paidOnScreen(
  state: DeviceState,
  n: number,
  { bill, amount }: CommandBody<'announce'>,
  nowMs: number,
): Step {
  if (!bill || state.qr?.bill !== bill || state.qr.amount !== amount) return noEffects(state)
  const paid = { n, bill, amount, untilMs: nowMs + PAYMENT_MS }
  return emit({ ...state, qr: undefined, paid }, { event: 'paid', n, bill, amount })
}

/**
 * The speaker no longer belongs to its store: remove the QR, which must not take another payment. A code stays, because
 * it may be for the next registration (sb/1 7.13).
 */
export function unlink(state: DeviceState): Step {
  const nothing = { missed: undefined, payment: undefined, paid: undefined }
  return clear({ ...state, ...nothing, linked: false }, 'qr', 'unlinked')
}

function show(state: DeviceState, command: Exclude<ScreenCommand, { t: 'missed' }>): Step {
  switch (command.t) {
    case 'profile':
      return showProfile(state, command.d)
    case 'code':
      return emit({ ...state, code: command.d }, { event: 'code', ...command.d })
    case 'qr':
      return emit(
        { ...withoutSilentPayment(state), qr: command.d, paid: undefined },
        { event: 'qr', ...command.d },
      )
    case 'clear':
      return clear(state, command.d.what, 'command')
  }
}

/** A newer sum of missed payments replaces the notice, and has its whole time (sb/1 7.23). */
function withNotice(state: DeviceState, { t, id, n, d }: Command<'missed'>): DeviceState {
  const missed = { ...d, leftMs: MISSED_MS, seenSinceMs: undefined, unseen: { t, id, n } }
  return { ...state, missed }
}

/** The next customer pays the newer QR: an amount makes room for it as soon as its sentence has ended (sb/1 6.6). */
function withoutSilentPayment(state: DeviceState): DeviceState {
  const { payment, sounding } = state
  const isSpoken = payment && sounding?.sound.t === 'announce' && sounding.sound.n === payment.n
  return { ...state, payment: isSpoken ? { ...payment, untilMs: sounding.untilMs } : undefined }
}

function showProfile(state: DeviceState, profile: CommandBody<'profile'>): Step {
  const shown = emit({ ...state, profile }, { event: 'profile', ...profile })
  const linked = profile.name !== '' || profile.qr !== ''
  if (!linked) return chain(shown, unlink)
  return chain(shown, (next) =>
    profile.locked ? clear({ ...next, linked }, 'qr', 'locked') : noEffects({ ...next, linked }),
  )
}

function clear(state: DeviceState, what: 'code' | 'qr', why: ClearedWhy): Step {
  if (!state[what]) return noEffects(state)
  return emit({ ...state, [what]: undefined }, { event: 'cleared', what, why })
}

/** When the content of a command expires, independently of the command. Content that has expired is not shown. */
function contentExpiry(command: ScreenCommand): number {
  return command.t === 'code' || command.t === 'qr' ? command.d.exp : Number.POSITIVE_INFINITY
}
