import type { ReasonCode } from '../../protocol/messages/ack.ts'
import type { Settings } from '../../protocol/messages/settings.ts'
import type { Announcement } from '../announcements/announcement.ts'

/** What the idle screen and the QR screen of a device shall show. */
export interface ScreenState {
  /** Empty name and qr when the device is not registered. */
  profile: { name: string; qr: string }
  linked: boolean
  /** The newest unpaid bill of its stores that is still to be shown; none on a locked device. */
  bill: { id: string; qr: string; amount: string; billNumber: string; shownUntil: number } | undefined
  /** There is none, but one whose time is not over: it was paid, or the device was locked, perhaps while it was away. */
  hasEndedBill: boolean
}

/** Payments that came too late for one device, not yet shown to it. */
export interface MissedPayments {
  announcementIds: string[]
  count: number
  amount: string
}

/** A step that a device has confirmed. */
export interface AckStep {
  announcementId: string
  deviceId: string
  stage: 'received' | 'played' | 'failed' | 'expired'
  reason: string | undefined
}

/** The announcements on their way, and the counter that numbers a device's commands. */
export interface Outbox {
  /** Takes the next command number, durably: a number is never given twice, whatever crashes (sb/1 6.1). */
  nextNumber(deviceId: string): Promise<number>
  /** The highest number given so far. */
  highestNumber(deviceId: string): Promise<number>
  /** The device's announcements that are not at their final stage and still fresh, by rising number. */
  open(deviceId: string, at: number): Promise<Announcement[]>
  /** Notes that an announcement leaves now; false when it has ended meanwhile, and may no longer leave. */
  markSent(announcementId: string, at: number): Promise<boolean>
  /** Whether an announcement is not at its final stage, by all that is committed, answered or not. */
  isOpen(announcementId: string): Promise<boolean>
  /** Moves an announcement forward; false when it was at that stage, or past it, already. */
  recordAck(step: AckStep, at: number): Promise<boolean>
  /**
   * Ends what is no longer fresh at `at`; answers the devices that missed something. What was sent is judged by
   * `ackedBy`, which is earlier while acks may still come that a clock set forward would cut off.
   */
  expire(at: number, ackedBy?: number): Promise<string[]>
  /**
   * The clock was set back by `byMs` and shows `at`; when it was looked at last before, it would have shown `since`.
   * What is fresh and was not queued between the two is from before, and ends earlier by as much, so that nothing is
   * spoken late as if it were new.
   */
  clockSetBack(byMs: number, at: number, since: number): Promise<void>
  /**
   * Brings the record in line with what a device says at its birth, `played` being the highest number that it
   * has ever played:
   *  - what it had received and is numbered up to `played`, and what was sent and is numbered just that, was
   *    played, although no ack said so, when its time is over or too short to ask again;
   *  - what else is past its time was not: it is expired;
   *  - what was called expired before, and would by the first of these have been played, is not shown as missed;
   *  - what was never sent but is numbered up to `played` (the hub came back from an older backup) gets new
   *    numbers, because the device would take it for a repeat.
   */
  reconcile(deviceId: string, played: number, at: number): Promise<void>
  missed(deviceId: string): Promise<MissedPayments | undefined>
  /** How many announcements are not at their final stage, and when the oldest of them was queued. */
  backlog(): Promise<{ open: number; oldestQueuedAt: number | undefined }>
  /** Notes that the device has shown these as missed. */
  markMissedShown(announcementIds: string[], at: number): Promise<void>
  screen(deviceId: string, at: number): Promise<ScreenState>
}

/** The way down to a device, as the broker offers it. */
export interface DeviceLink {
  /** Hands one frame to the device's connection; nowhere, when that is gone. */
  publish(payload: Buffer): void
  /** Closes the connection. */
  close(): void
}

/** What the rest of the hub asks of the devices' screens. */
export interface Screens {
  /** Shows the device's current state again, when it is connected. */
  refresh(deviceId: string): void
  /** Shows a verification code and waits until the device confirms it. */
  showCode(deviceId: string, code: string, expiresAt: number): Promise<CodeShown>
  clearCode(deviceId: string): void
  /** Takes a bill off the screens that show it. */
  clearBill(deviceIds: string[], billId: string): void
}

export type CodeShown = 'shown' | 'offline' | 'display_failed' | 'not_responding'

/** What the rest of the hub asks of the devices' ears. */
export interface Announcer {
  /** Whether the device is there and nothing is on its way to it: what is announced now leaves at once. */
  isFree(deviceId: string): boolean
  /**
   * Sends announcements that were just stored, those that are on record as sent at once. An offline device finds them
   * in the outbox at its birth.
   */
  announce(announcements: readonly Announcement[]): void
  /** Forgets what was to be spoken by a device that was locked or released. */
  silence(deviceId: string): void
}

/** What the rest of the hub asks of the device itself. */
export interface Remote {
  /** Sends settings to the device when it is connected; an offline one gets them at its birth. */
  configure(deviceId: string, settings: Settings): void
  /** Has the device beep and flash, and waits until it confirms that it did. */
  identify(deviceId: string): Promise<Identified>
}

export type Identified =
  | { kind: 'played' }
  | { kind: 'offline' }
  | { kind: 'not_responding' }
  | { kind: 'failed'; reason: ReasonCode }

/** Who is there. */
export interface Presence {
  /** Born, its link up, and heard of within two and a half keepalives. */
  isConnected(serial: string): boolean
}
