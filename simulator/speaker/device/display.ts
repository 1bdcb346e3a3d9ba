import { hubNowMs } from './state/hub-time.ts'
import type { DeviceState } from './state/state.ts'

/** A bill that is paid. */
export interface PaidBill {
  amount: string
  bill: string
}

/** What the speaker's screen shows: one thing at a time, because a shop reads it from two metres. */
export type Display =
  | { screen: 'off' }
  /** `amount`: the payment that is shown now, too. A code is never covered: somebody types it (sb/1 6.6). */
  | { screen: 'code'; code: string; secondsLeft: number; amount?: string }
  /** A payment. `alsoPaid`: a bill whose sentence waits behind this one's. */
  | { screen: 'payment'; amount: string; alsoPaid?: PaidBill }
  /** A payment that has paid the bill on the screen. */
  | { screen: 'paid'; amount: string; bill: string; alsoPaid?: PaidBill }
  | { screen: 'qr'; qr: string; amount: string; bill: string; secondsLeft: number }
  | { screen: 'missed'; count: number; amount: string }
  | { screen: 'idle'; name: string; qr: string }
  /** Its partner has locked it: it announces no payment, so it invites none. */
  | { screen: 'locked'; name: string }
  | { screen: 'unregistered' }
  | { screen: 'connecting' }
  | { screen: 'no_network'; reason: string }

type Choice = (state: DeviceState, nowMs: number) => Display | undefined

/** What may be shown, the most urgent first (sb/1 6.6): the first that is there is on the screen. */
const CHOICES: readonly Choice[] = [dark, code, payment, qr, missed, locked, idle, noNetwork, unregistered]

/**
 * The one place that decides what is on the screen. The device acks and counts time by it, the terminal draws it, and
 * events and snapshots report it.
 */
export function displayOf(state: DeviceState, nowMs: number): Display {
  for (const choice of CHOICES) {
    const display = choice(state, nowMs)
    if (display) return display
  }
  return { screen: 'connecting' }
}

function dark({ config, faults }: DeviceState): Display | undefined {
  const isDark = !config.caps.includes('screen') || faults.includes('broken-display')
  return isDark ? { screen: 'off' } : undefined
}

function code(state: DeviceState, nowMs: number): Display | undefined {
  if (!state.code) return undefined
  const amount = (state.payment ?? state.paid)?.amount
  return {
    screen: 'code',
    code: state.code.code,
    secondsLeft: secondsLeft(state, state.code.exp, nowMs),
    ...(amount !== undefined && { amount }),
  }
}

/** The digits are always those of the voice: what is paid meanwhile stands below them. */
function payment({ payment, paid }: DeviceState): Display | undefined {
  if (!payment) return paid && { screen: 'paid', amount: paid.amount, bill: paid.bill }
  const { amount, bill } = payment
  const also = paid && { alsoPaid: { amount: paid.amount, bill: paid.bill } }
  return bill === undefined
    ? { screen: 'payment', amount, ...also }
    : { screen: 'paid', amount, bill, ...also }
}

function qr(state: DeviceState, nowMs: number): Display | undefined {
  if (!state.qr) return undefined
  const { qr, amount, bill, exp } = state.qr
  return { screen: 'qr', qr, amount, bill, secondsLeft: secondsLeft(state, exp, nowMs) }
}

function missed({ missed }: DeviceState): Display | undefined {
  return missed && { screen: 'missed', count: missed.count, amount: missed.amount }
}

/** Whether the hub has said that the partner has locked the speaker (sb/1 6.7). */
export function isLocked({ linked, profile }: DeviceState): boolean {
  return linked === true && profile?.locked === true
}

function locked(state: DeviceState): Display | undefined {
  return isLocked(state) ? { screen: 'locked', name: state.profile?.name ?? '' } : undefined
}

function idle({ config, linked, profile }: DeviceState): Display | undefined {
  if (!linked) return undefined
  const hasQr = config.caps.includes('qr')
  return { screen: 'idle', name: profile?.name ?? '', qr: (hasQr && profile?.qr) || '' }
}

function noNetwork({ link }: DeviceState): Display | undefined {
  return link.phase === 'offline' ? { screen: 'no_network', reason: link.reason } : undefined
}

function unregistered({ link }: DeviceState): Display | undefined {
  return link.phase === 'welcomed' ? { screen: 'unregistered' } : undefined
}

/** Rounds down: the hub's clock arrives in whole seconds, so rounding up could promise a second too many. */
function secondsLeft(state: DeviceState, exp: number, nowMs: number): number {
  return Math.max(0, Math.floor((exp * 1000 - hubNowMs(state, nowMs)) / 1000))
}
