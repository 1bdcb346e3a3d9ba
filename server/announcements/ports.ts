import type { Born } from '../devices/device.ts'
import type { Page, PageRequest } from '../platform/page.ts'
import type { Settings } from '../settings/settings.ts'
import type { Announcement, AnnouncementTrail, ReasonCode, SoundProof } from './announcement.ts'

/** What the idle screen and the QR screen of a device show. */
export interface ScreenState {
  /** Name and QR are empty when the device is not registered. A locked device has no QR. */
  profile: { name: string; qr: string; locked?: true }
  linked: boolean
  /** The newest unpaid bill of the device's stores whose time is not over. A locked device shows none. */
  bill: { id: string; qr: string; amount: string; billNumber: string; shownUntil: number } | undefined
  /**
   * There is no bill to show, but one whose time is not over has ended: it was paid, or the device was locked,
   * perhaps while it was offline.
   */
  hasEndedBill: boolean
}

/** Payments that came too late for one device and that it has not shown yet. */
export interface MissedPayments {
  count: number
  amount: string
  mark: MissedMark
}

/** Names the payments of one summary: payments that are missed later are not among them. Plain data of the storage. */
export interface MissedMark {
  upTo: number
  except: readonly number[]
}

/**
 * A session of a device, by which the storage fences what only the hub of that session may do. Several hubs may work on
 * one storage: the device belongs to the session of its last birth.
 */
export interface Owner {
  deviceId: string
  sessionId: string
}

/** A speaker that could speak at once, and the highest number up to which its hub has read all announcements. */
export interface FreeSpeaker extends Owner {
  knownNumber: number
}

/** A stage that an announcement has reached. */
export interface AckStep {
  announcementId: string
  /** The step is ignored when the announcement has another number. */
  commandNumber: number
  deviceId: string
  stage: 'received' | 'played' | 'delivered' | 'failed' | 'expired'
  reason: ReasonCode | undefined
  /** What it proves of the sound. Only speakers of other makers have one. A later `received` may bring a better one. */
  proof?: SoundProof | undefined
  /**
   * The session whose hub judges so by itself: nothing changes when it does not own the device. What a device says has
   * none, because it is true whatever hub hears it.
   */
  judgedBy?: string
}

/**
 * What an ack has changed.
 *  - `no_longer_missed`: the device has played what the hub has expired. The stage is final and stays, but the payment is
 *    not shown as missed (sb/1 7.21).
 */
export type AckOutcome = 'moved' | 'no_longer_missed' | 'nothing'

/** What a birth stores. */
export interface Birth {
  born: Born
  /** The login hash of the session's key, in hex. Without it, the key is not looked at. */
  login?: string
  /** It is stored, and what follows it is read again: it takes the device from no session. */
  isAgain?: boolean
}

/** What the first commands of a session are made of. */
export interface SessionStart {
  /** The birth has taken the device from another session, which may be open at another hub. */
  isTakeover: boolean
  /** The highest number given before. */
  highestNumber: number
  /** Two that are given to this session: for the welcome and the idle screen. */
  numbers: number[]
  /** The version of the settings that the device has last reported. */
  reportedVersion: number | undefined
  screen: ScreenState
  /** As `open` reads them. */
  open: Announcement[]
  /** False when `missed` has nothing to sum up. */
  hasMissed: boolean
  /** A key or firmware waits for the device. */
  hasMaintenance: boolean
  /** To be sent, by settings.ts. */
  settings: Settings | undefined
}

/** Announcements that `open` reads at once, in about a millisecond. A speaker says some forty before they are stale. */
export const OPEN_AT_ONCE = 100

/**
 * The stored announcements, and the counter that numbers a device's commands. An act that may move many announcements
 * does so in several commits. When the hub dies between two, a repeat of the act or the next start of the hub finishes it.
 */
export interface Outbox {
  /**
   * Takes the next command number durably: no number is given twice, even after a crash (sb/1 6.1). Undefined when the
   * session does not own the device.
   */
  nextNumber(owner: Owner): Promise<number | undefined>
  /** The highest number given so far. */
  highestNumber(deviceId: string): Promise<number>
  /**
   * The device's announcements that are fresh and not at a final stage, by rising number: the first `OPEN_AT_ONCE` of
   * those numbered above `after`. None for a locked device.
   */
  open(deviceId: string, at: number, after?: number): Promise<Announcement[]>
  /**
   * As `open`, with the highest number given so far. If `isFree`, the first announcement is stored as sent, and says so.
   * Undefined when the session does not own the device.
   */
  take(
    owner: Owner,
    at: number,
    what: { after: number; isFree: boolean },
  ): Promise<{ open: Announcement[]; highestNumber: number } | undefined>
  /**
   * Stores that an announcement is sent now. Otherwise it must not be sent: it has reached a final stage, or the session
   * does not own the device.
   */
  markSent(announcementId: string, owner: Owner, at: number): Promise<'sent' | 'ended' | 'not_owner'>
  /** Whether an announcement is not at a final stage. Reads all commits, also those not answered yet. */
  isOpen(announcementId: string): Promise<boolean>
  /**
   * Moves an announcement forward. Nothing changes when it was already at that stage or past it, or when its number is
   * not the step's: a restore may have renumbered it. A `received` that a birth has voided counts again.
   */
  recordAck(step: AckStep, at: number): Promise<AckOutcome>
  /**
   * Ends what is no longer fresh at `at`, and returns the devices that missed something. Sent announcements are
   * judged by `ackedBy`. It is earlier than `at` after the clock was set forward, while acks may still come.
   *  - One that a speaker of another maker has confirmed becomes delivered.
   *  - Any other one becomes expired; one that was sent to a speaker of another maker with the reason `unconfirmed`.
   */
  expire(at: number, ackedBy?: number): Promise<string[]>
  /**
   * The clock was set back, and now shows `at`: open announcements from before expire earlier, so that none is spoken
   * late as if it were new.
   *  - `step`: it was set back by `byMs`. At the last check before, it would have shown `since`. Announcements that were
   *    queued between `since` and `at` are not from before.
   *  - No `step`, at the start of the hub: it was set back if a stored time is in the future. Nobody knows by how much,
   *    so all open announcements expire.
   */
  clockSetBack(at: number, step?: { byMs: number; since: number }): Promise<void>
  /**
   * Reads what a session begins with. If a birth begins it, stores that first, in the same commit unless many
   * announcements are reconciled:
   *  - The session owns the device from now on.
   *  - What the device says of itself. One that has no clips in the language of its announcements gets the first language
   *    of its own.
   *  - If `login` is of the device's next key, that key becomes the only one.
   *  - The command counter rises above the number that it has played.
   *  - The stored stages come in line with that number, by the rules of reconcile.ts.
   * Undefined, and nothing is stored, when the key is no key of the device (sb/1 2.9), and without a birth when the
   * session does not own the device. Undefined, too, when another birth takes the device between two commits.
   */
  begin(owner: Owner, at: number, birth?: Birth): Promise<SessionStart | undefined>
  /** These sessions have ended: their devices have no owner, unless another session has taken one over. */
  leave(owners: readonly Owner[]): Promise<void>
  owns(owner: Owner): Promise<boolean>
  /**
   * Devices whose announcements were queued before `before` and are still fresh and unsent, as far as no other hub is known
   * to have them. Those without an owner are among them: an old session that ended may have taken the device from one that
   * goes on, and does not know it.
   */
  waiting(at: number, before: number): Promise<string[]>
  missed(deviceId: string): Promise<MissedPayments | undefined>
  /** How many announcements are not at a final stage, and when the oldest of them was queued. */
  backlog(): Promise<{ open: number; oldestQueuedAt: number | undefined }>
  /** Stores that the device has shown the payments of a summary. The first commit decides: from then on none is missed. */
  markMissedShown(deviceId: string, mark: MissedMark, at: number): Promise<void>
  screen(deviceId: string, at: number): Promise<ScreenState>
}

/** Sends announcements to connected speakers. */
export interface Announcer {
  /**
   * Carries out the act of a payment. Until its end the idle speakers that announced the store's last payment are reserved
   * for it. Its commit can store its announcements for them as sent, which saves a commit of their own. An act that has
   * failed may be stored all the same: the connection was lost in its commit.
   */
  claim<T>(storeKey: string, act: (speakers: readonly FreeSpeaker[]) => Promise<T>): Promise<T>
  /**
   * Sends announcements of one store that an act has stored which began at `since`, and remembers their speakers for its
   * next claim. An offline device gets its announcements at its birth.
   */
  announce(announcements: readonly Announcement[], storeKey: string, since: number): void
}

/** Lists of announcements, for people. */
export interface AnnouncementLists {
  /** The announcements of one device that were queued at `from` or later, newest first. */
  ofDevice(
    device: { deviceId: string; serial: string },
    from: number,
    page: PageRequest,
  ): Promise<Page<AnnouncementTrail>>
}
