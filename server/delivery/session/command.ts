import { downPrefix, publishBytes, sealFrame } from '../../../protocol/frame.ts'
import type { ReasonCode } from '../../../protocol/messages/ack.ts'
import type { CommandBody, CommandType } from '../../../protocol/messages/command.ts'
import { toUnixSeconds } from '../../../protocol/messages/fields.ts'
import type { Settings } from '../../../protocol/messages/settings.ts'
import { announcementClips } from '../../../protocol/money/sentence.ts'
import { downTopic } from '../../../protocol/topics.ts'
import type { Announcement } from '../../announcements/announcement.ts'
import type { MissedPayments, ScreenState } from '../ports.ts'

/** The order of classes: what a person waits for at the counter goes first (sb/1 7.2). */
export const RANK = { welcome: 0, code: 1, announce: 2, rest: 3 } as const

/** How a command ended on its way. */
export type CommandEnd =
  | { kind: 'done' }
  | { kind: 'failed'; reason: ReasonCode }
  /** An announcement ran out of time without a sign that the device had received it. */
  | { kind: 'unheard' }
  /** Replaced, out of time, or its session is over. */
  | { kind: 'dropped' }

/** A command on its way to a device. */
export interface Outgoing {
  id: string
  t: CommandType
  rank: (typeof RANK)[keyof typeof RANK]
  /**
   * The body at a sending, `at` being the hub's clock in Unix seconds, and smaller ones for a device whose buffer
   * is too small for it, in this order (sb/1 6.3).
   */
  forms: (at: number) => readonly CommandBody<CommandType>[]
  /** Given already for what is in the outbox; else taken as the command is first sent. */
  n: number | undefined
  /** On record as sent by the very commit that has made it. */
  noted: boolean
  /** A waiting command is replaced by a newer one of the same slot. */
  slot: string | undefined
  /** Milliseconds; never sent after it. */
  expiresAt: number
  onEnd: ((end: CommandEnd) => void) | undefined
}

/** What a screen shows stays good until something newer replaces it; this only bounds a resend. */
const SCREEN_TTL_MS = 60 * 60_000
const WELCOME_TTL_MS = 30_000
/** Settings that got lost come again at the next birth; this only bounds a resend. */
const SETTINGS_TTL_MS = 60_000
/** Characters of a shop's name that fit a buffer of 512 and of 256 bytes, whatever they are made of. */
const SHORT_NAMES = [32, 8] as const

function outgoing<T extends CommandType>(
  t: T,
  forms: readonly CommandBody<T>[] | ((at: number) => readonly CommandBody<T>[]),
  more: { id: string; expiresAt: number } & Partial<
    Pick<Outgoing, 'rank' | 'n' | 'noted' | 'slot' | 'onEnd'>
  >,
): Outgoing {
  const bodies = typeof forms === 'function' ? forms : () => forms
  const none = { n: undefined, noted: false, slot: undefined, onEnd: undefined }
  return { t, forms: bodies, rank: RANK.rest, ...none, ...more }
}

export function welcomeCommand(id: string, now: number, n: number, linked: boolean): Outgoing {
  return outgoing('welcome', (at) => [{ now: at, n, linked }], {
    id,
    rank: RANK.welcome,
    expiresAt: now + WELCOME_TTL_MS,
  })
}

export function profileCommand(id: string, now: number, { name, qr }: ScreenState['profile']): Outgoing {
  const shortened = SHORT_NAMES.map((length) => [...name].slice(0, length).join(''))
  const forms = [{ name, qr }, ...[name, ...shortened].map((text) => ({ name: text, qr: '' }))]
  return outgoing('profile', forms, { id, slot: 'profile', expiresAt: now + SCREEN_TTL_MS })
}

export function codeCommand(id: string, code: string, expiresAt: number, onEnd: Outgoing['onEnd']): Outgoing {
  const body = { code, exp: toUnixSeconds(expiresAt) }
  return outgoing('code', [body], { id, rank: RANK.code, slot: 'code', expiresAt, onEnd })
}

export function announceCommand(
  announcement: Announcement,
  onEnd: Outgoing['onEnd'],
  noted = false,
): Outgoing {
  const { id, n, amount, paidBill, lang, expiresAt } = announcement
  const spoken = { amount, currency: 'VND', lang, clips: announcementClips(lang, amount) }
  const forms = paidBill === '' ? [spoken] : [{ ...spoken, bill: paidBill }, spoken]
  return outgoing('announce', forms, { id, n, noted, rank: RANK.announce, expiresAt, onEnd })
}

export function qrCommand(
  id: string,
  bill: NonNullable<ScreenState['bill']>,
  onEnd: Outgoing['onEnd'],
): Outgoing {
  const { qr, amount, billNumber, shownUntil } = bill
  const body = { qr, amount, bill: billNumber, exp: toUnixSeconds(shownUntil) }
  return outgoing('qr', [body], { id, slot: 'qr', expiresAt: shownUntil, onEnd })
}

export function clearCommand(
  id: string,
  now: number,
  what: 'code' | 'qr',
  onEnd?: Outgoing['onEnd'],
): Outgoing {
  // In the slot of what it clears: a code or QR that still waits to be shown need not be shown first.
  return outgoing('clear', [{ what }], { id, slot: what, expiresAt: now + SCREEN_TTL_MS, onEnd })
}

export function missedCommand(
  id: string,
  now: number,
  missed: MissedPayments,
  onEnd: Outgoing['onEnd'],
): Outgoing {
  const body = { count: missed.count, amount: missed.amount }
  return outgoing('missed', [body], { id, slot: 'missed', expiresAt: now + SCREEN_TTL_MS, onEnd })
}

export function settingsCommand(id: string, now: number, settings: Settings): Outgoing {
  return outgoing('settings', [settings], { id, slot: 'settings', expiresAt: now + SETTINGS_TTL_MS })
}

export function identifyCommand(id: string, expiresAt: number, onEnd: Outgoing['onEnd']): Outgoing {
  return outgoing('identify', [{}], { id, expiresAt, onEnd })
}

/** Where and how frames for one session of a device are written. */
export interface FrameTarget {
  serial: string
  sid: string
  downKey: Buffer
  /** Bytes of the device's receive buffer. */
  rx: number
}

/**
 * Writes the frame of one sending: the clock and the time left are new each time, and so is the MAC (sb/1 6.1); the
 * end of its time stays where it was (sb/1 11.4).
 * Undefined when no form of the body fits the device's buffer.
 */
export function writeFrame(
  command: Outgoing,
  n: number,
  now: number,
  target: FrameTarget,
): Buffer | undefined {
  const { serial, sid, downKey, rx } = target
  const at = toUnixSeconds(now)
  const ttl = toUnixSeconds(command.expiresAt) - at
  const topic = downTopic(serial)
  for (const d of command.forms(at)) {
    const frame = sealFrame(downKey, downPrefix(serial, sid), { t: command.t, id: command.id, n, at, ttl, d })
    if (publishBytes(topic, frame) <= rx) return frame
  }
  return undefined
}
