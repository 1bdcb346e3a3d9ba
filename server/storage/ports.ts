import type { Stage } from '../announcements/announcement.ts'
import type { Outbox } from '../announcements/ports.ts'
import type { CodeRecords, DeviceRecords } from '../devices/ports.ts'
import type { IdempotencyRecords } from '../idempotency/ports.ts'
import type { PartnerRecords, TokenRecords } from '../partners/ports.ts'
import type { Payment } from '../payments/payment.ts'
import type { BillRecords, PaymentDecision, PaymentRecords, PaymentSituation } from '../payments/ports.ts'
import { settle } from '../payments/settle.ts'
import type { Ids } from '../platform/ids.ts'
import type { Vault } from '../security/vault.ts'
import type { SettingsRecords } from '../settings/ports.ts'
import {
  type DeviceSettings,
  planSettings,
  type SettingsChange,
  type SettingsPlan,
} from '../settings/settings.ts'
import type { StoreRecords } from '../stores/ports.ts'

/** What is kept, behind the ports of the nouns. Each method is one whole act. */
export interface StoragePorts {
  partners: PartnerRecords
  tokens: TokenRecords
  devices: DeviceRecords
  codes: CodeRecords
  settings: SettingsRecords
  stores: StoreRecords
  bills: BillRecords
  payments: PaymentRecords
  outbox: Outbox
  idempotency: IdempotencyRecords
  retention: Retention
}

/** Everything that the hub keeps. */
export interface Storage extends StoragePorts {
  /** Rises when a command has left something to do for the hub that is running: a device was revoked, and the like. */
  wishes(): number
  /** False while values that were given up can still be found in the file; the next opening tries again. */
  isScrubbed(): boolean
  /** Writes that were asked for and wait for their commit; beyond ten thousand no more are taken. */
  writesWaiting(): number
  /** Throws when nothing can be written. */
  ping(): Promise<void>
  /** Commits what waits, then closes the file. */
  close(): void | Promise<void>
}

/**
 * Deletes what need not be kept, a page of rows at a time, each page one commit. Paged by age;
 * `after` is empty at first, then the `next` of the page before.
 */
export interface Retention {
  /**
   * Payments received before an instant, with their announcements; the totals of stores stay. One that a speaker
   * has still to say, or to show as missed, is kept.
   */
  prunePayments(receivedBefore: number, after: string): Promise<Pruned>
  /** Verification codes issued before an instant that were used, burnt or replaced. */
  pruneCodes(issuedBefore: number, after: string): Promise<Pruned>
  /** Outcomes under idempotency keys that are over. */
  pruneIdempotencyKeys(at: number): Promise<Pruned>
}

export interface Pruned {
  /** Rows of what was asked for; what hangs on them is not counted. */
  deleted: number
  /** Where the next page begins; undefined when there is none. */
  next: string | undefined
}

/** Told what the storage does. What it does with that must be quick: payments wait for it. */
export interface StorageObserver {
  /** An announcement has reached a stage, so long after it was queued. */
  stage(stage: Stage, sinceQueuedMs: number): void
  /** One commit has carried so many writes to the disk. */
  commit(writes: number, ms: number): void
}

export const UNOBSERVED: StorageObserver = { stage: () => undefined, commit: () => undefined }

/** The identifiers that the storage gives to what it adds. */
export type StorageIds = Pick<Ids, 'uuid' | 'commandId'>

/**
 * What the nouns decide inside an act, between its reads and its writes. Pure but for the ids that they give, and may be
 * called again when a neighbour in the commit fails.
 *
 * Why the storage has them, and is not handed one with each act: an act may be carried out in another thread, where
 * no function can be sent.
 */
export interface StorageRules {
  settle: (payment: Payment, found: PaymentSituation) => PaymentDecision
  planSettings: (known: DeviceSettings, change: SettingsChange) => SettingsPlan
}

/** The rules of the hub. */
export function hubRules(ids: StorageIds): StorageRules {
  return { settle: (payment, found) => settle(payment, found, ids), planSettings }
}

/** How the master key itself changes, around the one commit that changes the storage. */
export interface KeyChange {
  /** Makes the new key last over a crash, before anything is sealed under it. */
  prepare(): Vault
  /** The storage is sealed under the new key. */
  adopt(): void
}

export interface KeyRotation {
  /** Rows that were sealed anew, by table. */
  resealed: Record<string, number>
  /** Verification codes that were outstanding. */
  codesEnded: number
  /** False when what was sealed under the old key could not be removed for good: the next opening tries again. */
  scrubbed: boolean
}

/** What a database holds, told by what money is about. */
export interface Holdings {
  payments: number
  /** When the newest payment was received, milliseconds since the epoch; undefined when there is none. */
  newestAt: number | undefined
}

export interface Backup extends Holdings {
  bytes: number
}

export interface Restored extends Holdings {
  /** Where the database from before is; undefined when there was none. */
  keptAs: string | undefined
}
