import type { Outbox } from '../delivery/ports.ts'
import type { CodeRecords, DeviceRecords } from '../devices/ports.ts'
import type { PartnerRecords, TokenRecords } from '../partners/ports.ts'
import type { BillRecords, PaymentRecords } from '../payments/ports.ts'
import type { SettingsRecords } from '../settings/ports.ts'
import type { StoreRecords } from '../stores/ports.ts'

/** Everything that the hub keeps, behind the ports of its nouns. Each method is one whole act. */
export interface Storage {
  partners: PartnerRecords
  tokens: TokenRecords
  devices: DeviceRecords
  codes: CodeRecords
  settings: SettingsRecords
  stores: StoreRecords
  bills: BillRecords
  payments: PaymentRecords
  outbox: Outbox
  /** Changes when another process has written: what the hub holds in memory may be out of date. */
  foreignVersion(): number
  /** Throws when nothing can be written. */
  ping(): Promise<void>
  /** Commits what waits, then closes the file. */
  close(): void
}
