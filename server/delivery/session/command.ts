import type { Language } from '../../../protocol/money/language.ts'
import type { ReasonCode } from '../../announcements/announcement.ts'
import type { FirmwareOffer } from '../../devices/maintenance.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Settings } from '../../settings/settings.ts'

/** What a command asks of a device. */
export type CommandBody =
  /** `settingsVersion` is what the device has reported. */
  | { kind: 'welcome'; highestNumber: number; linked: boolean; settingsVersion: number | undefined }
  /** The idle screen. Name and QR are empty when the device is not registered. The QR is empty when it is locked. */
  | { kind: 'profile'; name: string; qr: string; locked?: boolean | undefined }
  /** A verification code, to be shown until the command expires. */
  | { kind: 'code'; code: string }
  /** `amount` in đồng, as a decimal string. `paidBill` is empty when the payment paid no bill. */
  | { kind: 'announce'; amount: string; lang: Language; paidBill: string }
  /** The dynamic QR of a bill, to be shown until the command expires. */
  | { kind: 'qr'; qr: string; amount: string; billNumber: string }
  | { kind: 'clear'; what: 'code' | 'qr' }
  | { kind: 'missed'; count: number; amount: string }
  | { kind: 'settings'; settings: Settings }
  /** Beep and flash. */
  | { kind: 'identify' }
  | { kind: 'rekey'; nextKey: Buffer }
  | { kind: 'update'; offer: FirmwareOffer }

export type CommandKind = CommandBody['kind']

/** A command that delivery pushes to a device. */
export interface Command {
  id: string
  body: CommandBody
  /** Milliseconds. The command is never sent later. */
  expiresAt: number
  /** Announcements have one from the outbox. Other commands get one when they are first sent. */
  commandNumber?: number
  /** An act has stored the announcement as sent, and began then. Milliseconds. */
  sentSince?: number | undefined
  /** Is asked before each sending. False: the command is dropped. */
  isValid?: (isResend: boolean) => Promise<boolean>
  /** The device has received it, and has not ended it yet. */
  onReceived?: () => void
  onEnd?: (end: CommandEnd) => void
}

/** How a command ended. */
export type CommandEnd =
  | { kind: 'done' }
  | { kind: 'failed'; reason: ReasonCode }
  /** The time of an announcement ran out, and no ack said that the device received it. */
  | { kind: 'unheard' }
  /** The device has the announcement, and did not report in time that it has played it. */
  | { kind: 'unproven' }
  /** Replaced, expired unsent, withdrawn, or its session ended. */
  | { kind: 'dropped' }

/** A screen stays valid until a newer one replaces it. This only bounds the resends. */
const SCREEN_TTL_MS = 60 * 60_000
/** A lost welcome and lost settings are sent again at the next birth. This, too, only bounds the resends. */
const TTL_MS: Partial<Record<CommandKind, number>> = {
  ...{ welcome: 30_000, settings: 60_000, rekey: 60_000 },
  // Others that are missed wait for the end of this notice. Afterwards the device refuses it, and the next one names all.
  missed: 120_000,
}

/** Makes a command with a new id that is good for as long as its kind, unless `more` says otherwise. */
export function createCommand(
  { clock, ids }: { clock: Clock; ids: Pick<Ids, 'commandId'> },
  body: CommandBody,
  more: Partial<Omit<Command, 'body'>> = {},
): Command {
  const { id = ids.commandId(), expiresAt = clock.now() + (TTL_MS[body.kind] ?? SCREEN_TTL_MS) } = more
  return { ...more, id, body, expiresAt }
}

/** The order of classes: a person at the counter waits for the first ones (sb/1 7.2). */
const FIRST: readonly CommandKind[] = ['welcome', 'code', 'announce']

export function rankOf({ body }: Command): number {
  const rank = FIRST.indexOf(body.kind)
  return rank === -1 ? FIRST.length : rank
}

/** Whether a command that was not sent yet is replaced by a newer one. */
export function isReplaced(older: Command, newer: Command): boolean {
  const slot = slotOf(newer)
  return slot !== undefined && slotOf(older) === slot
}

function slotOf({ body }: Command): string | undefined {
  // A code or QR that is still queued need not be shown before it is cleared.
  if (body.kind === 'clear') return body.what
  return ['welcome', 'announce', 'identify'].includes(body.kind) ? undefined : body.kind
}

/** The command numbers of one session. */
export class Numbers {
  /** All announcements up to this number were read, or ended before the session began. 0 before its birth. */
  known = 0
  /** Given numbers above `known`. At least one between them and `known` was not heard of. */
  #beyondGap: readonly number[] = []
  /** Numbers that are stored as given to this session, and that no command has yet. */
  #reserved: readonly number[] = []

  /**
   * A number was given. False when the session does not know all numbers before it: the answers of one commit may come
   * in any order.
   */
  given(n: number): boolean {
    this.#beyondGap = [...this.#beyondGap, n]
    this.knowUpTo(this.known)
    return n <= this.known
  }

  knowUpTo(n: number) {
    let known = Math.max(this.known, n)
    while (this.#beyondGap.includes(known + 1)) known += 1
    this.#beyondGap = this.#beyondGap.filter((one) => one > known)
    this.known = known
  }

  reserve(numbers: readonly number[]) {
    this.#reserved = numbers
    this.knowUpTo(Math.max(0, ...numbers))
  }

  takeReserved(): number | undefined {
    const [first] = this.#reserved
    if (first !== undefined) this.#reserved = this.#reserved.slice(1)
    return first
  }
}
