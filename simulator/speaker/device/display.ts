import { hubNowMs } from './state/hub-time.ts'
import type { DeviceState } from './state/state.ts'

/** What the speaker's screen shows: one thing at a time, because a shop reads it from two metres. */
export type Display =
  | { screen: 'off' }
  | { screen: 'code'; code: string; secondsLeft: number }
  | { screen: 'paid'; amount: string; bill: string }
  | { screen: 'qr'; qr: string; amount: string; bill: string; secondsLeft: number }
  | { screen: 'missed'; count: number; amount: string }
  | { screen: 'idle'; name: string; qr: string }
  | { screen: 'unregistered' }
  | { screen: 'connecting' }
  | { screen: 'no_network'; reason: string }

/** Chooses what to show; the most urgent comes first. */
export function displayOf(state: DeviceState, nowMs: number): Display {
  if (isDark(state)) return { screen: 'off' }
  const hasQr = state.config.caps.includes('qr')
  const { code, paid, qr, missed, profile, link } = state
  if (code) return { screen: 'code', code: code.code, secondsLeft: secondsLeft(state, code.exp, nowMs) }
  if (paid) return { screen: 'paid', amount: paid.amount, bill: paid.bill }
  if (qr)
    return {
      screen: 'qr',
      qr: qr.qr,
      amount: qr.amount,
      bill: qr.bill,
      secondsLeft: secondsLeft(state, qr.exp, nowMs),
    }
  if (missed) return { screen: 'missed', count: missed.count, amount: missed.amount }
  if (state.linked) return { screen: 'idle', name: profile?.name ?? '', qr: (hasQr && profile?.qr) || '' }
  if (link.phase === 'offline') return { screen: 'no_network', reason: link.reason }
  if (link.phase === 'welcomed') return { screen: 'unregistered' }
  return { screen: 'connecting' }
}

function isDark({ config, faults }: DeviceState): boolean {
  return !config.caps.includes('screen') || faults.includes('broken-display')
}

/** Rounds down: the hub's clock arrives in whole seconds, so rounding up could promise a second too many. */
function secondsLeft(state: DeviceState, exp: number, nowMs: number): number {
  return Math.max(0, Math.floor((exp * 1000 - hubNowMs(state, nowMs)) / 1000))
}
