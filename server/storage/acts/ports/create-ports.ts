import type { Outbox } from '../../../announcements/ports.ts'
import type { EventLog } from '../../../events/ports.ts'
import type { PaymentRecords } from '../../../payments/ports.ts'
import type { WebhookQueue } from '../../../webhooks/ports.ts'
import type { StorageIds, StorageObserver, StoragePorts } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import type { Engine } from '../act.ts'
import { createAuditRecords } from '../audit-records.ts'
import { createBillRecords } from '../bill-records.ts'
import { createCodeRecords } from '../devices/code-records.ts'
import { createDeviceRecords, type DeviceParts } from '../devices/device-records.ts'
import { createHealthRecords } from '../devices/health-records.ts'
import { createMaintenanceRecords } from '../devices/maintenance-records.ts'
import { createSettingsRecords } from '../devices/settings-records.ts'
import { createIdempotencyRecords } from '../idempotency-records.ts'
import { createAnnouncementLists } from '../lists/announcement-lists.ts'
import { createDeviceLists } from '../lists/device-lists.ts'
import { createEventLog } from '../lists/event-log.ts'
import { createPaymentLists, type PaymentSearch } from '../lists/payment-lists.ts'
import { createStoreLists } from '../lists/store-lists.ts'
import { createPartnerRecords } from '../partner-records.ts'
import { createPaymentRecords } from '../payments/payment-records.ts'
import type { DeletedPaymentRows } from '../retention/payments.ts'
import { createRetention } from '../retention/retention.ts'
import { createStoreRecords } from '../store-records.ts'
import { createTokenRecords } from '../token-records.ts'
import { createWebhookRecords } from '../webhooks/records.ts'

/** What each engine does by statements of its own. */
export interface OwnActs extends DeviceParts {
  outbox: Outbox
  webhookQueue: WebhookQueue
  recordPayment: PaymentRecords['record']
  numberEvents: EventLog['number']
  deletedPayments: DeletedPaymentRows
  search: PaymentSearch
}

/** The ports of a storage. */
export function createPorts(
  engine: Engine,
  own: OwnActs,
  { rules, ids, observe }: { rules: StorageRules; ids: StorageIds; observe: StorageObserver },
): StoragePorts {
  return {
    partners: createPartnerRecords(engine, rules, ids.uuid),
    tokens: createTokenRecords(engine, rules),
    devices: createDeviceRecords(engine, rules, own, observe),
    maintenance: createMaintenanceRecords(engine),
    health: createHealthRecords(engine, rules),
    codes: createCodeRecords(engine, rules),
    settings: createSettingsRecords(engine, rules),
    stores: createStoreRecords(engine),
    bills: createBillRecords(engine),
    payments: createPaymentRecords(engine, rules, own.recordPayment),
    outbox: own.outbox,
    events: createEventLog(engine, rules, own.numberEvents),
    webhooks: createWebhookRecords(engine, rules),
    webhookQueue: own.webhookQueue,
    idempotency: createIdempotencyRecords(engine),
    retention: createRetention(engine, own.deletedPayments),
    audit: createAuditRecords(engine),
    lists: {
      announcements: createAnnouncementLists(engine, rules),
      devices: createDeviceLists(engine),
      payments: createPaymentLists(engine, rules, own.search),
      stores: createStoreLists(engine, rules),
    },
  }
}
