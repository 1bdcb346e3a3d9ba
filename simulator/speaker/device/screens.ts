import type { AnyCommand, CommandBody } from '../../../protocol/messages/command.ts'
import { ackFailed, ackRepeat, ackStage } from './acks.ts'
import { isPast, pastAtMs } from './state/hub-time.ts'
import type { ClearedWhy } from './state/speaker-events.ts'
import { chain, type DeviceState, emit, noEffects, type Step, type Timer } from './state/state.ts'

/** How long "paid" stays, for the customer to show to the cashier. */
export const PAID_MS = 6_000
/** How long the notice of missed payments is visible unless somebody dismisses it (sb/1 7.23). */
export const MISSED_MS = 10 * 60_000

export type ScreenCommand = Extract<AnyCommand, { t: 'profile' | 'code' | 'qr' | 'clear' | 'missed' }>

/**
 * Handles a screen command. It applies only when its number is above the last one shown in this session: numbers rise,
 * so a late repeat can't restore an old code or QR (sb/1 7.6).
 */
export function onScreenCommand(state: DeviceState, command: ScreenCommand, nowMs: number): Step {
  if (state.link.phase !== 'welcomed') return noEffects(state)
  if (command.n <= state.link.shown) return ackRepeat(state, command, 'shown')
  if (isPast(state, command.at + command.ttl, nowMs) || isPast(state, contentExpiry(command), nowMs))
    return ackFailed(state, command, 'expired')
  if (state.faults.includes('broken-display')) return ackFailed(state, command, 'display_failed')
  const received = ackStage({ ...state, link: { ...state.link, shown: command.n } }, command, 'received')
  return chain(
    chain(received, (next) => show(next, command, nowMs)),
    (next) => ackStage(next, command, 'shown'),
  )
}

/** Remove what has expired from the screen (sb/1 6.5). */
export const screenTimers: readonly Timer[] = [
  { dueAtMs: ({ paid }) => paid?.untilMs, fire: (state) => noEffects({ ...state, paid: undefined }) },
  { dueAtMs: ({ missed }) => missed?.untilMs, fire: (state) => noEffects({ ...state, missed: undefined }) },
  expiryTimer('code'),
  expiryTimer('qr'),
]

function expiryTimer(what: 'code' | 'qr'): Timer {
  return {
    dueAtMs: (state) => state[what] && pastAtMs(state, state[what].exp),
    fire: (state) => clear(state, what, 'expired'),
  }
}

/** Gives the notice of missed payments its full time from the moment when nothing covers it (sb/1 7.23). */
export function holdCoveredNotice(state: DeviceState, nowMs: number): DeviceState {
  const { missed, code, paid, qr } = state
  if (!missed || !(code || paid || qr)) return state
  return { ...state, missed: { ...missed, untilMs: nowMs + MISSED_MS } }
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
  const paid = { bill, amount, untilMs: nowMs + PAID_MS }
  return emit({ ...state, qr: undefined, paid }, { event: 'paid', n, bill, amount })
}

/**
 * The speaker no longer belongs to its store: remove the QR, which must not take another payment. A code stays, because
 * it may be for the next registration (sb/1 7.13).
 */
export function unlink(state: DeviceState): Step {
  return clear({ ...state, linked: false, missed: undefined, paid: undefined }, 'qr', 'unlinked')
}

function show(state: DeviceState, command: ScreenCommand, nowMs: number): Step {
  switch (command.t) {
    case 'profile':
      return showProfile(state, command.d)
    case 'code':
      return emit({ ...state, code: command.d }, { event: 'code', ...command.d })
    case 'qr':
      return emit({ ...state, qr: command.d, paid: undefined }, { event: 'qr', ...command.d })
    case 'clear':
      return clear(state, command.d.what, 'command')
    case 'missed':
      return emit(
        { ...state, missed: { ...command.d, untilMs: nowMs + MISSED_MS } },
        { event: 'missed', ...command.d },
      )
  }
}

function showProfile(state: DeviceState, profile: CommandBody<'profile'>): Step {
  const shown = emit({ ...state, profile }, { event: 'profile', ...profile })
  const linked = profile.name !== '' || profile.qr !== ''
  return chain(shown, (next) => (linked ? noEffects({ ...next, linked }) : unlink(next)))
}

function clear(state: DeviceState, what: 'code' | 'qr', why: ClearedWhy): Step {
  if (!state[what]) return noEffects(state)
  return emit({ ...state, [what]: undefined }, { event: 'cleared', what, why })
}

/** When the content of a command expires, independently of the command. Content that has expired is not shown. */
function contentExpiry(command: ScreenCommand): number {
  return command.t === 'code' || command.t === 'qr' ? command.d.exp : Number.POSITIVE_INFINITY
}
