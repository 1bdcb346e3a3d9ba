import type { Stage } from '../announcements/announcement.ts'
import type { AnnouncementLists, Outbox } from '../announcements/ports.ts'
import type { MaintenanceRecords } from '../devices/maintenance.ts'
import type {
  CodeRecords,
  DeviceLists,
  DeviceRecords,
  HealthRecords,
  KeyedRecords,
  ProfileRecords,
} from '../devices/ports.ts'
import type { EventLog } from '../events/ports.ts'
import type { IdempotencyRecords } from '../idempotency/ports.ts'
import type { OperatorRecords } from '../operators/ports.ts'
import type { PartnerRecords, TokenRecords } from '../partners/ports.ts'
import type { BillRecords, PaymentLists, PaymentRecords } from '../payments/ports.ts'
import type { Ids } from '../platform/ids.ts'
import type { StatementRecords } from '../reconciliation/ports.ts'
import type { Actor } from '../security/actor.ts'
import type { SettingsRecords } from '../settings/ports.ts'
import type { StoreLists, StoreRecords } from '../stores/ports.ts'
import type { WebhookQueue, WebhookRecords } from '../webhooks/ports.ts'
import type { AuditRecords, AuditRow, ClockAction } from './audit.ts'

/** The ports of the nouns. Each method is one whole act. */
export interface StoragePorts {
  partners: PartnerRecords
  tokens: TokenRecords
  devices: DeviceRecords
  maintenance: MaintenanceRecords
  health: HealthRecords
  codes: CodeRecords
  profiles: ProfileRecords
  keyed: KeyedRecords
  settings: SettingsRecords
  stores: StoreRecords
  bills: BillRecords
  payments: PaymentRecords
  outbox: Outbox
  events: EventLog
  webhooks: WebhookRecords
  webhookQueue: WebhookQueue
  statements: StatementRecords
  idempotency: IdempotencyRecords
  operators: OperatorRecords
  retention: Retention
  audit: AuditRecords
  /** What people look through. They only read. */
  lists: {
    announcements: AnnouncementLists
    devices: DeviceLists
    payments: PaymentLists
    stores: StoreLists
  }
}

/**
 * What another process may change:
 *  - requests: the command line asks the running hub for something, for instance to disconnect a revoked device,
 *  - grants: a token, a secret or a partner is no longer good.
 */
export type StorageChange = 'requests' | 'grants'

/** Where another thread of the hub finds a storage. It can be copied to that thread. */
export type StoragePlace = ({ file: string } | { url: string }) & {
  /** As those of `createVault`. */
  masterKeys: readonly Uint8Array[]
}

/** Everything that the hub stores. */
export interface Storage extends StoragePorts {
  /** Where another thread may open it, to read alone. Undefined: only this thread has it. */
  place?: StoragePlace
  /**
   * Calls `listener` within a second of a commit with such a change; commits of this process may call it, too.
   * Several commits may lead to one call. The returned function ends it.
   */
  changes(listener: (change: StorageChange) => void): () => void
  /** Writes that wait for their commit. Beyond ten thousand, further writes are refused. */
  writesWaiting(): number
  /** Rejects when nothing can be written. */
  ping(): Promise<void>
  /** Commits the waiting writes, then closes the storage. */
  close(): void | Promise<void>
}

/**
 * Deletes old rows, oldest first, one page in each commit. `after` is empty for the first page, and then the `next` of
 * the page before.
 */
export interface Retention {
  /**
   * Payments received before an instant, with their announcements, up to the first young one: what was stored later is
   * younger, also when the clock was behind. The totals of stores stay, and the sums of those days go. A payment stays while a speaker has still to play
   * it, or to show it as missed. The day's audit row counts them. What a repeat is known by stays, until `forgetDeleted`.
   */
  prunePayments(receivedBefore: number, after: string, at: number): Promise<Pruned>
  /** What is left of deleted payments that were received before an instant. A repeat is a new payment afterwards. */
  forgetDeleted(receivedBefore: number, after: string): Promise<Pruned>
  /**
   * Events from before an instant, partner by partner, the oldest first, each with its deliveries. What a partner could
   * still read before is gone from one commit on. Before them, what is left of webhooks that were deleted.
   */
  pruneEvents(before: number, after: string): Promise<Pruned>
  /** Verification codes issued before an instant that were used, burnt or replaced. */
  pruneCodes(issuedBefore: number, after: string): Promise<Pruned>
  /** Families of refresh tokens that ended before an instant, with their tokens. */
  pruneTokens(endedBefore: number): Promise<Pruned>
  /** Outcomes under idempotency keys that have expired. */
  pruneIdempotencyKeys(at: number): Promise<Pruned>
  /** Audit rows from before an instant. */
  pruneAudit(before: number, after: string): Promise<Pruned>
  /**
   * The latest time at which one of the thousand newest payments was received. Undefined when there is none. Why so many:
   * the first payment under a wrong clock is the newest one.
   */
  newestReceivedAt(): Promise<number | undefined>
  /** Stores an audit row that says whether retention may go by the clock. */
  noteClock(by: Actor, action: ClockAction, at: number, details: AuditRow['details']): Promise<void>
}

export interface Pruned {
  /** Deleted payments, codes, families or outcomes. Rows that belong to them are not counted. */
  deleted: number
  /** Where the next page begins. Undefined when there is none. */
  next: string | undefined
  /** Old rows that have to stay for now. */
  kept?: number
  /** Behind which a later pass may begin, because what is old up to there is gone or kept. */
  reached?: string
}

/** Observes the storage. Its methods must be quick: payments wait for them. */
export interface StorageObserver {
  /** An announcement has reached a stage, this long after it was queued. */
  stage(stage: Stage, sinceQueuedMs: number): void
  /** A commit with this many writes is on disk. */
  commit(writes: number, ms: number): void
}

export const UNOBSERVED: StorageObserver = { stage: () => undefined, commit: () => undefined }

/** The ids that the storage makes for new rows. */
export type StorageIds = Pick<Ids, 'uuid' | 'commandId'>
