import type { EventLog } from '../../../events/ports.ts'
import type { PaymentRecords } from '../../../payments/ports.ts'
import type { StorageIds, StorageObserver, StoragePorts } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { CredentialsRow } from '../../shared/device-mapping.ts'
import type { Engine } from '../act.ts'
import { createAuditRecords } from '../audit-records.ts'
import { createBillRecords } from '../bill-records.ts'
import { createCodeRecords } from '../devices/code-records.ts'
import { createDeviceRecords } from '../devices/device-records.ts'
import { createHealthRecords } from '../devices/health-records.ts'
import { createKeyedRecords } from '../devices/keyed-records.ts'
import { createMaintenanceRecords } from '../devices/maintenance-records.ts'
import { createMissedMarks } from '../devices/missed-marks.ts'
import { createProfileRecords } from '../devices/profile-records.ts'
import { createSettingsRecords } from '../devices/settings-records.ts'
import { createIdempotencyRecords } from '../idempotency-records.ts'
import { createAnnouncementLists } from '../lists/announcement-lists.ts'
import { createDeviceLists } from '../lists/device-lists.ts'
import { createEventLog } from '../lists/event-log.ts'
import { createPaymentLists, type PaymentSearch } from '../lists/payment-lists.ts'
import { createStoreLists } from '../lists/store-lists.ts'
import { createOperatorRecords } from '../operator-records.ts'
import type { OutboxActs } from '../outbox/acks.ts'
import { createOutbox } from '../outbox/outbox.ts'
import { createPartnerRecords } from '../partner-records.ts'
import { createPaymentRecords } from '../payments/payment-records.ts'
import type { DeletedPaymentRows } from '../retention/payments.ts'
import { createRetention, type WholePartitions } from '../retention/retention.ts'
import { createStatementRecords } from '../statements/records.ts'
import { createStoreRecords } from '../store-records.ts'
import { createTokenRecords } from '../token-records.ts'
import { createWebhookQueue } from '../webhooks/queue.ts'
import { createWebhookRecords } from '../webhooks/records.ts'

/** What each engine does in a way of its own. */
export interface EngineActs extends OutboxActs {
  /** Every connect reads them, and as an act that costs SQLite twice as much, measured. */
  readCredentials: (serial: string) => Promise<CredentialsRow | undefined>
  record: PaymentRecords['record']
  numberEvents: EventLog['number']
  deletedPayments: DeletedPaymentRows
  partitions: WholePartitions | undefined
  paymentSearch: PaymentSearch
}

interface PortOptions {
  ids: StorageIds
  rules: StorageRules
  observe: StorageObserver
}

/** All ports, on one engine. */
export function portsOf(engine: Engine, own: EngineActs, { ids, rules, observe }: PortOptions): StoragePorts {
  const marks = createMissedMarks(engine)
  return {
    partners: createPartnerRecords(engine, rules, ids.uuid),
    tokens: createTokenRecords(engine, rules),
    devices: createDeviceRecords(engine, rules, { ...marks, ...own }, observe),
    maintenance: createMaintenanceRecords(engine),
    health: createHealthRecords(engine, rules),
    codes: createCodeRecords(engine, rules),
    profiles: createProfileRecords(engine),
    keyed: createKeyedRecords(engine),
    settings: createSettingsRecords(engine, rules),
    stores: createStoreRecords(engine, rules),
    bills: createBillRecords(engine),
    payments: createPaymentRecords(engine, rules, own.record),
    outbox: createOutbox(engine, own, marks, rules, observe),
    events: createEventLog(engine, rules, own.numberEvents),
    webhooks: createWebhookRecords(engine, rules),
    webhookQueue: createWebhookQueue(engine, rules),
    statements: createStatementRecords(engine, ids.uuid),
    idempotency: createIdempotencyRecords(engine),
    operators: createOperatorRecords(engine),
    retention: createRetention(engine, own.deletedPayments, own.partitions),
    audit: createAuditRecords(engine),
    lists: {
      announcements: createAnnouncementLists(engine, rules),
      devices: createDeviceLists(engine),
      payments: createPaymentLists(engine, rules, own.paymentSearch),
      stores: createStoreLists(engine, rules),
    },
  }
}
