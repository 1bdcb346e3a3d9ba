import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Language } from '../../../../protocol/money/language.ts'
import type { Stage } from '../../../announcements/stages.ts'
import type { FirmwareOffer, UpdateProgress } from '../../../devices/maintenance.ts'
import type { PaymentOutcome } from '../../../payments/payment.ts'
import type { Settings } from '../../../settings/settings.ts'
import type { AuditAction, AuditRow } from '../../audit.ts'
import { sealed } from './sealed-type.ts'

export * from './deleted-payment-table.ts'
export * from './digest-table.ts'
export * from './event-tables.ts'
export * from './webhook-tables.ts'

/**
 * The tables for queries. The migrations create them, with constraints and indices that Drizzle can't express
 * (STRICT, partial indices). test/server/storage/sqlite/schema/schema.test.ts compares the two.
 * Times are milliseconds since the epoch, money is đồng. A sealed column holds a value that the vault has sealed;
 * shared/sealed-columns.ts lists all of them.
 */

const flag = (name: string) => integer(name, { mode: 'boolean' }).notNull()

/** One row, which opens only under the right master key. */
export const vaultCanary = sqliteTable('vault_canary', {
  id: integer('id').primaryKey(),
  sealed: sealed('sealed'),
})

/**
 * What a revision counts changes of:
 *  - grants: tokens, secrets and partners that stop being good,
 *  - stores: what the store cache holds,
 *  - wishes: requests of the command line to the hub that is running.
 */
export type Revised = 'grants' | 'stores' | 'wishes'

/** See engine/revisions.ts. */
export const revisions = sqliteTable('revisions', {
  name: text('name').$type<Revised>().primaryKey(),
  revision: integer('revision').notNull(),
})

export const partners = sqliteTable('partners', {
  clientId: text('client_id').primaryKey(),
  name: text('name').notNull(),
  createdAt: integer('created_at').notNull(),
  disabledAt: integer('disabled_at'),
})

export const partnerSecrets = sqliteTable('partner_secrets', {
  id: text('id').primaryKey(),
  clientId: text('client_id').notNull(),
  sealed: sealed('sealed'),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
})

export const tokenFamilies = sqliteTable('token_families', {
  id: text('id').primaryKey(),
  clientId: text('client_id').notNull(),
  expiresAt: integer('expires_at').notNull(),
  revokedAt: integer('revoked_at'),
  newestGeneration: integer('newest_generation').notNull(),
  newestSince: integer('newest_since').notNull(),
})

export const tokens = sqliteTable('tokens', {
  hash: blob('hash', { mode: 'buffer' }).primaryKey(),
  familyId: text('family_id').notNull(),
  kind: text('kind', { enum: ['access', 'refresh'] }).notNull(),
  generation: integer('generation').notNull(),
  expiresAt: integer('expires_at').notNull(),
  used: flag('used'),
})

export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  clientId: text('client_id').notNull(),
  phoneHash: blob('phone_hash', { mode: 'buffer' }).notNull(),
  phone: sealed('phone'),
  createdAt: integer('created_at').notNull(),
})

export const stores = sqliteTable('stores', {
  /** Totals and links refer to it. */
  rowId: integer('number').primaryKey(),
  id: text('id').notNull(),
  clientId: text('client_id').notNull(),
  userId: text('user_id').notNull(),
  terminalID: text('terminal_id').notNull(),
  terminalName: text('terminal_name').notNull(),
  storeName: text('store_name').notNull(),
  ownerName: sealed('owner_name'),
  identityNumber: sealed('identity_number'),
  bankName: text('bank_name').notNull(),
  bankCode: text('bank_code').notNull(),
  bankAccountNumber: sealed('bank_account_number'),
  bankAccountName: sealed('bank_account_name'),
  phoneNumber: sealed('phone_number'),
  staticQRCode: sealed('static_qr_code'),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

const totals = () => ({
  storeRowId: integer('store_number').primaryKey(),
  totalTransaction: integer('total_transaction').notNull(),
  totalAmount: integer('total_amount').notNull(),
})

/** See rows/store-totals.ts. */
export const storeTotals = sqliteTable('store_totals', totals())
export const storeTotalsRecent = sqliteTable('store_totals_recent', totals())

export const devices = sqliteTable('devices', {
  /** Links, announcements and command numbers refer to it. */
  rowId: integer('number').primaryKey(),
  id: text('id').notNull(),
  serial: text('serial').notNull(),
  key: sealed('key'),
  loginHash: blob('login_hash', { mode: 'buffer' }).notNull(),
  clientId: text('client_id'),
  userId: text('user_id'),
  deviceName: text('device_name').notNull(),
  rmCode: text('rm_code').notNull().default(''),
  active: flag('active').default(true),
  lang: text('lang').$type<Language>().notNull().default('vi'),
  firmware: text('firmware').notNull().default(''),
  model: text('model').notNull().default(''),
  /** The settings that it shall use, and those that it has reported, as JSON. */
  desiredSettings: text('desired_settings', { mode: 'json' }).$type<Settings>(),
  reportedSettings: text('reported_settings', { mode: 'json' }).$type<Settings>(),
  /** It has not reported the desired settings yet. */
  settingsDue: flag('settings_due').default(false),
  /** The languages of its clip packs, separated by spaces. */
  languages: text('languages').notNull().default(''),
  /** Its capabilities for maintenance, separated by spaces. */
  caps: text('caps').notNull().default(''),
  identifyAskedAt: integer('identify_asked_at'),
  identifiedAt: integer('identified_at'),
  lastBirthAt: integer('last_birth_at'),
  /** The session that owns it: see rows/device-states.ts. */
  sessionId: text('session_id'),
  createdAt: integer('created_at').notNull(),
  revokedAt: integer('revoked_at'),
})

/** See acts/devices/maintenance-records.ts. */
export const deviceRekeys = sqliteTable('device_rekeys', {
  /** The device's. */
  id: text('id').primaryKey(),
  key: sealed('key'),
  loginHash: blob('login_hash', { mode: 'buffer' }).notNull(),
  since: integer('since').notNull(),
})

export const deviceOffers = sqliteTable('device_offers', {
  /** The device's. */
  id: text('id').primaryKey(),
  offer: text('offer', { mode: 'json' }).$type<FirmwareOffer>().notNull(),
  since: integer('since').notNull(),
})

const highest = () => ({
  deviceRowId: integer('device_number').primaryKey(),
  n: integer('n').notNull(),
})

/** See rows/device-states.ts. */
export const deviceNumbers = sqliteTable('device_numbers', highest())
export const deviceNumbersRecent = sqliteTable('device_numbers_recent', highest())

/** See devices/health.ts. A device that has reported nothing is not in it. */
export const deviceHealth = sqliteTable('device_health', {
  deviceRowId: integer('device_number').primaryKey(),
  battery: integer('battery'),
  signal: integer('signal'),
  volume: integer('volume'),
  queue: integer('queue'),
  reportedAt: integer('reported_at'),
  leftAt: integer('left_at'),
  updateProgress: text('update_progress', { mode: 'json' }).$type<UpdateProgress & { at: number }>(),
})

export const deviceStores = sqliteTable('device_stores', {
  storeRowId: integer('store_number').notNull(),
  deviceRowId: integer('device_number').notNull(),
  linkedAt: integer('linked_at').notNull(),
})

export const verificationCodes = sqliteTable('verification_codes', {
  id: text('id').primaryKey(),
  deviceId: text('device_id').notNull(),
  clientId: text('client_id').notNull(),
  hash: blob('hash', { mode: 'buffer' }).notNull(),
  state: text('state', { enum: ['outstanding', 'replaced', 'used', 'burnt'] }).notNull(),
  issuedAt: integer('issued_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
})

export const verificationQuotas = sqliteTable('verification_quotas', {
  deviceId: text('device_id').notNull(),
  clientId: text('client_id').notNull(),
  periodStartedAt: integer('period_started_at').notNull(),
  issued: integer('issued').notNull(),
})

export const bills = sqliteTable('bills', {
  id: text('id').primaryKey(),
  storeId: text('store_id').notNull(),
  billNumber: text('bill_number').notNull(),
  amount: integer('amount').notNull(),
  qrcode: sealed('qrcode'),
  paidAt: integer('paid_at'),
  mark: text('mark', { enum: ['amount_mismatch', 'bill_already_paid'] }),
  shownUntil: integer('shown_until').notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

export const payments = sqliteTable('payments', {
  /** Rises with every payment. Announcements refer to it. */
  rowId: integer('number').primaryKey(),
  id: text('id').notNull(),
  clientId: text('client_id').notNull(),
  storeId: text('store_id').notNull(),
  billId: text('bill_id'),
  dedupeKey: text('dedupe_key').notNull(),
  outcome: text('outcome').$type<PaymentOutcome>().notNull(),
  terminalID: text('terminal_id').notNull(),
  bankCode: text('bank_code').notNull(),
  billNumber: text('bill_number').notNull(),
  amount: integer('amount').notNull(),
  paidAt: integer('paid_at').notNull(),
  traceTransfer: text('trace_transfer').notNull(),
  ftCode: text('ft_code').notNull(),
  /** See shared/sealed-payment.ts. */
  sealed: sealed('sealed'),
  receivedAt: integer('received_at').notNull(),
})

export const announcements = sqliteTable('announcements', {
  /** Rises with every announcement. All indices hold it, and it is a tenth as long as an id. */
  rowId: integer('number').primaryKey(),
  id: text('id').notNull(),
  deviceRowId: integer('device_number').notNull(),
  paymentRowId: integer('payment_number').notNull(),
  /** The command's number. Null when the announcement was suppressed from the start: it was never a command. */
  n: integer('n'),
  stage: text('stage').$type<Stage>().notNull(),
  amount: integer('amount').notNull(),
  paidBill: text('paid_bill').notNull(),
  lang: text('lang').$type<Language>().notNull(),
  reason: text('reason'),
  expiresAt: integer('expires_at').notNull(),
  queuedAt: integer('queued_at').notNull(),
  sentAt: integer('sent_at'),
  receivedAt: integer('received_at'),
  playedAt: integer('played_at'),
  failedAt: integer('failed_at'),
  expiredAt: integer('expired_at'),
  suppressedAt: integer('suppressed_at'),
  missedShownAt: integer('missed_shown_at'),
  receivedVoidAt: integer('received_void_at'),
})

/** See acts/outbox/missed.ts. */
export const missedMarks = sqliteTable('missed_marks', {
  rowId: integer('number').primaryKey(),
  deviceRowId: integer('device_number').notNull(),
  upTo: integer('up_to').notNull(),
  /** Row ids, as JSON. */
  excepted: text('excepted').notNull(),
  shownAt: integer('shown_at').notNull(),
})

/** Outcomes of requests with an idempotency key, by a hash of partner and key. */
export const idempotencyKeys = sqliteTable('idempotency_keys', {
  /** The hash, in hex. */
  id: text('id').primaryKey(),
  /** The request's hash and its outcome, as JSON. Both may reveal personal data. */
  sealed: sealed('sealed'),
  expiresAt: integer('expires_at').notNull(),
})

/** Every change, with who made it. See audit-trail.ts. */
export const audit = sqliteTable('audit', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
  actorKind: text('actor_kind').$type<AuditRow['actorKind']>().notNull(),
  /** A system user, a client id, or `hub`. */
  actor: text('actor').notNull(),
  action: text('action').$type<AuditAction>().notNull(),
  subject: text('subject').notNull(),
  details: text('details', { mode: 'json' }).$type<AuditRow['details']>().notNull(),
})
