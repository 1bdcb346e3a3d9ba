import type { Language } from '../../../protocol/money/language.ts'
import type { Announcement, ReasonCode } from '../../announcements/announcement.ts'
import type { MissedPayments, ScreenState } from '../../announcements/ports.ts'
import type { Settings } from '../../settings/settings.ts'

/** The order of classes: a person at the counter waits for the first ones (sb/1 7.2). */
export const RANK = { welcome: 0, code: 1, announce: 2, rest: 3 } as const

/** How a command ended. */
export type CommandEnd =
  | { kind: 'done' }
  | { kind: 'failed'; reason: ReasonCode }
  /** The time of an announcement ran out, and no ack said that the device received it. */
  | { kind: 'unheard' }
  /** Replaced, expired unsent, withdrawn, or its session ended. */
  | { kind: 'dropped' }

/** What a command asks of a device. */
export type CommandBody =
  | { kind: 'welcome'; highestNumber: number; linked: boolean }
  /** The idle screen. Name and QR are empty when the device is not registered. */
  | { kind: 'profile'; name: string; qr: string }
  /** A verification code, to be shown until the command expires. */
  | { kind: 'code'; code: string }
  /** `amount` in đồng, as a decimal string. `paidBill` is empty when the payment paid no bill. */
  | { kind: 'announce'; amount: string; lang: Language; paidBill: string }
  /** A dynamic QR, to be shown until the command expires. */
  | { kind: 'bill'; qr: string; amount: string; billNumber: string }
  | { kind: 'clear'; what: 'code' | 'bill' }
  | { kind: 'missed'; count: number; amount: string }
  | { kind: 'settings'; settings: Settings }
  /** Beep and flash. */
  | { kind: 'identify' }

export type CommandKind = CommandBody['kind']

/** A command that delivery pushes to a device. */
export interface Command {
  id: string
  body: CommandBody
  rank: (typeof RANK)[keyof typeof RANK]
  /** Announcements have one from the outbox. Other commands get one when they are first sent. */
  commandNumber?: number
  /** The commit that stored the announcement has also stored it as sent. */
  alreadySent?: boolean
  /** A queued command is replaced by a newer one of the same slot. */
  slot?: string
  /** Milliseconds. The command is never sent later. */
  expiresAt: number
  onEnd?: OnEnd | undefined
}

export type OnEnd = (end: CommandEnd) => void

/** A screen stays valid until a newer one replaces it. This only bounds the resends. */
const SCREEN_TTL_MS = 60 * 60_000
const WELCOME_TTL_MS = 30_000
/** Lost settings are sent again at the next birth. This only bounds the resends. */
const SETTINGS_TTL_MS = 60_000

export function welcomeCommand(id: string, now: number, highestNumber: number, linked: boolean): Command {
  const body = { kind: 'welcome', highestNumber, linked } as const
  return { id, body, rank: RANK.welcome, expiresAt: now + WELCOME_TTL_MS }
}

export function profileCommand(id: string, now: number, { name, qr }: ScreenState['profile']): Command {
  const body = { kind: 'profile', name, qr } as const
  return { id, body, rank: RANK.rest, slot: 'profile', expiresAt: now + SCREEN_TTL_MS }
}

export function codeCommand(id: string, code: string, expiresAt: number, onEnd?: OnEnd): Command {
  return { id, body: { kind: 'code', code }, rank: RANK.code, slot: 'code', expiresAt, onEnd }
}

export function announceCommand(announcement: Announcement, onEnd?: OnEnd, alreadySent = false): Command {
  const { id, n: commandNumber, amount, paidBill, lang, expiresAt } = announcement
  const body = { kind: 'announce', amount, lang, paidBill } as const
  return { id, body, rank: RANK.announce, commandNumber, alreadySent, expiresAt, onEnd }
}

export function billCommand(id: string, bill: NonNullable<ScreenState['bill']>, onEnd?: OnEnd): Command {
  const { qr, amount, billNumber, shownUntil: expiresAt } = bill
  const body = { kind: 'bill', qr, amount, billNumber } as const
  return { id, body, rank: RANK.rest, slot: 'bill', expiresAt, onEnd }
}

export function clearCommand(id: string, now: number, what: 'code' | 'bill', onEnd?: OnEnd): Command {
  // It has the slot of what it clears: a code or bill that is still queued need not be shown first.
  const body = { kind: 'clear', what } as const
  return { id, body, rank: RANK.rest, slot: what, expiresAt: now + SCREEN_TTL_MS, onEnd }
}

export function missedCommand(
  id: string,
  now: number,
  { count, amount }: MissedPayments,
  onEnd?: OnEnd,
): Command {
  const body = { kind: 'missed', count, amount } as const
  return { id, body, rank: RANK.rest, slot: 'missed', expiresAt: now + SCREEN_TTL_MS, onEnd }
}

export function settingsCommand(id: string, now: number, settings: Settings): Command {
  const body = { kind: 'settings', settings } as const
  return { id, body, rank: RANK.rest, slot: 'settings', expiresAt: now + SETTINGS_TTL_MS }
}

export function identifyCommand(id: string, expiresAt: number, onEnd?: OnEnd): Command {
  return { id, body: { kind: 'identify' }, rank: RANK.rest, expiresAt, onEnd }
}
