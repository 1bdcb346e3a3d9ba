import { describe } from 'vitest'
import type { Storage } from '../../../server/storage/ports.ts'
import type { StorageRules } from '../../../server/storage/rules.ts'
import { actorContract } from './contract/actors.ts'
import { auditContract } from './contract/audit.ts'
import { billContract } from './contract/bills.ts'
import { boxAnnouncementContract } from './contract/box-announcements.ts'
import { boxContract } from './contract/boxes.ts'
import { changesContract } from './contract/changes.ts'
import { codeContract } from './contract/codes.ts'
import { daySumContract } from './contract/day-sums.ts'
import { deviceEventContract } from './contract/device-events.ts'
import { deviceListContract } from './contract/device-lists.ts'
import { deviceContract } from './contract/devices.ts'
import { eventContract } from './contract/events.ts'
import { expiryContract } from './contract/expiry.ts'
import { idempotencyContract } from './contract/idempotency.ts'
import { lineContract } from './contract/line.ts'
import { listContract } from './contract/lists.ts'
import { maintenanceContract } from './contract/maintenance.ts'
import { operatorContract } from './contract/operators.ts'
import { outboxContract } from './contract/outbox.ts'
import { ownerContract } from './contract/owners.ts'
import { partnerContract } from './contract/partners.ts'
import { paymentContract } from './contract/payments.ts'
import { registrationContract } from './contract/registration.ts'
import { retentionContract } from './contract/retention.ts'
import { screenContract } from './contract/screen.ts'
import { searchContract } from './contract/search.ts'
import { settingsContract } from './contract/settings.ts'
import { statementDaysContract } from './contract/statement-days.ts'
import { statementOrderContract } from './contract/statement-orders.ts'
import { statementContract } from './contract/statements.ts'
import { storeContract } from './contract/stores.ts'
import { tokenContract } from './contract/tokens.ts'
import { webhookBacklogContract } from './contract/webhook-backlog.ts'
import { webhookQueueContract } from './contract/webhook-queue.ts'
import { webhookContract } from './contract/webhooks.ts'
import type { TableHashes } from './tables.ts'

/** An empty storage. */
export interface Opened {
  storage: Storage
  /** Closes the storage and opens the same data again. */
  reopen: () => Promise<Storage>
  /** Opens the same data beside it, as another process does. */
  openOther: () => Promise<Storage>
  /** Lets a second pass. */
  passTime: () => void | Promise<void>
  tables: () => Promise<TableHashes>
}

/** Opens an empty storage of the engine under test with the hub's rules, of which `rules` replaces some. */
export type OpenStorage = (rules?: Partial<StorageRules>) => Promise<Opened>

/** What every engine must do: the ports' promises, tried from outside. */
export function storageContract(engine: string, open: OpenStorage) {
  describe(`${engine} keeps the storage contract`, () => {
    describe('partners', () => partnerContract(open))
    describe('tokens', () => tokenContract(open))
    describe('devices', () => deviceContract(open))
    describe('speakers of other makers', () => boxContract(open))
    describe('announcements on speakers of other makers', () => boxAnnouncementContract(open))
    describe('new keys and firmware', () => maintenanceContract(open))
    describe('verification codes', () => codeContract(open))
    describe('registration', () => registrationContract(open))
    describe('settings', () => settingsContract(open))
    describe('stores', () => storeContract(open))
    describe('bills', () => billContract(open))
    describe('payments', () => paymentContract(open))
    describe('the newest payments', () => lineContract(open))
    describe('the sums of a day', () => daySumContract(open))
    describe('the outbox', () => outboxContract(open))
    describe('owners', () => ownerContract(open))
    describe('expiry', () => expiryContract(open))
    describe('events', () => eventContract(open))
    describe('events of devices', () => deviceEventContract(open))
    describe('webhooks', () => webhookContract(open))
    describe('the queue of webhooks', () => webhookQueueContract(open))
    describe('what a webhook has still to get', () => webhookBacklogContract(open))
    describe('statements', () => statementContract(open))
    describe('the statements of a day', () => statementDaysContract(open))
    describe('statements in any order', () => statementOrderContract(open))
    describe('idempotency keys', () => idempotencyContract(open))
    describe('the screen', () => screenContract(open))
    describe('changes', () => changesContract(open))
    describe('operators', () => operatorContract(open))
    describe('the audit', () => auditContract(open))
    describe('actors', () => actorContract(open))
    describe('retention', () => retentionContract(open))
    describe('lists', () => listContract(open))
    describe('lists of devices', () => deviceListContract(open))
    describe('a search', () => searchContract(open))
  })
}
