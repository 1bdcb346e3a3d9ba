import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { createVault } from '../../../../../server/security/vault.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { AT, hashOf } from '../../shop.ts'

const MIGRATIONS = new URL('../../../../../server/storage/sqlite/schema/migrations/', import.meta.url)
  .pathname

/** What stood readable in a file of the first schema, and must not after it was brought up to date. */
export const READABLE = {
  account: '0001234567',
  owner: 'TRAN VAN BINH',
  holder: 'NGUYEN THI HA',
  phoneInNotice: '0987654321',
  phone: '0912345678',
  identity: '001099012345',
}

const QR = `00020101021138540010A00000072701240006970422011${READABLE.account}0208QRIBFTTA5303704`
const NOTICE = `${READABLE.holder} "chuyen"\ttien ${READABLE.phoneInNotice} \\ cà phê`

/** A payment as a partner reported it to the hub of that time. */
export function reported(number: number) {
  const ftCode = `FT${number}`
  return {
    id: `payment-${String(number).padStart(5, '0')}`,
    ...{ clientId: 'sbc_1', terminalID: 'T1', bankCode: 'MB', billNumber: number === 1 ? 'B1' : '' },
    ...{ amount: '50000', notice: NOTICE, paidAt: AT, traceTransfer: String(number), ftCode },
    dedupeKey: JSON.stringify(['ft', 'MB', ftCode]),
    contentHash: hashOf(`content ${number}`).toString('hex'),
    receivedAt: AT,
  }
}

/** Its first answer, as the hub of that time sealed it. */
export function answerTo(number: number) {
  return {
    ...{ id: `answer-${number}`, bankName: 'MB Bank', bankCode: 'MB', bankAccountNumber: READABLE.account },
    ...{ bankAccountName: READABLE.holder, qrcode: QR, storeId: 'store-1', billNumber: '' },
  }
}

/** The store, as its partner gave it to the hub of that time. */
export const STORE = {
  ...{ id: 'store-1', clientId: 'sbc_1', userId: 'user-1', terminalID: 'T1', terminalName: 'Till 1' },
  ...{ storeName: 'Phở Hà', ownerName: READABLE.owner, identityNumber: READABLE.identity },
  ...{ bankName: 'MB Bank', bankCode: 'MB', bankAccountNumber: READABLE.account },
  ...{ bankAccountName: READABLE.holder, phoneNumber: READABLE.phone, staticQRCode: QR },
  ...{ totalTransaction: 9_007_199_254_740_993n, totalAmount: 9_007_199_254_740_995n },
}

/** A file as the first schema's hub left it: one shop, one unpaid and one paid bill, and that many payments. */
export function makePreviousDatabase(folder: string, payments = 300): string {
  const file = join(folder, 'hub.db')
  const first = join(folder, 'first-schema')
  mkdirSync(join(first, 'meta'), { recursive: true })
  cpSync(join(MIGRATIONS, '0000_initial.sql'), join(first, '0000_initial.sql'))
  const entry = { idx: 0, version: '6', when: 1763683200000, tag: '0000_initial', breakpoints: true }
  writeFileSync(
    join(first, 'meta/_journal.json'),
    JSON.stringify({ version: '7', dialect: 'sqlite', entries: [entry] }),
  )
  const sqlite = new Database(file)
  sqlite.pragma('journal_mode = WAL')
  migrate(drizzle(sqlite), { migrationsFolder: first })
  fill(sqlite, payments)
  sqlite.close()
  return file
}

/** Rows as the hub of that time wrote them: which values were sealed, and at which places, is spelled out. */
function fill(sqlite: Database.Database, payments: number) {
  const vault = createVault(TEST_MASTER_KEY)
  const insert = (table: string, row: Record<string, unknown>) => {
    const columns = Object.keys(row)
    const marks = columns.map(() => '?').join()
    sqlite.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${marks})`).run(Object.values(row))
  }
  const stamps = { created_at: AT, updated_at: AT }
  sqlite.exec('BEGIN')
  insert('vault_canary', { id: 1, sealed: vault.seal('vault_canary/1/sealed', 'canary') })
  insert('partners', { client_id: 'sbc_1', name: 'Acme', created_at: AT })
  const secret = vault.seal('partner_secrets/secret-1/sealed', 'sbs_secret')
  insert('partner_secrets', { id: 'secret-1', client_id: 'sbc_1', sealed: secret, created_at: AT })
  const phone = vault.seal('users/user-1/phone', STORE.phoneNumber)
  const phoneHash = vault.fingerprint('users/sbc_1/phone', STORE.phoneNumber)
  insert('users', { id: 'user-1', client_id: 'sbc_1', phone_hash: phoneHash, phone, created_at: AT })
  insert('stores', {
    ...{ id: STORE.id, client_id: STORE.clientId, user_id: STORE.userId, terminal_id: STORE.terminalID },
    ...{ terminal_name: STORE.terminalName, store_name: STORE.storeName, owner_name: STORE.ownerName },
    identity_number: vault.seal('stores/store-1/identityNumber', STORE.identityNumber),
    ...{ bank_name: STORE.bankName, bank_code: STORE.bankCode, bank_account_name: STORE.bankAccountName },
    bank_account_number: vault.seal('stores/store-1/bankAccountNumber', STORE.bankAccountNumber),
    phone_number: vault.seal('stores/store-1/phoneNumber', STORE.phoneNumber),
    ...{ static_qr_code: STORE.staticQRCode, ...stamps },
    ...{ total_transaction: STORE.totalTransaction, total_amount: STORE.totalAmount },
  })
  const device = { id: 'device-1', serial: 'SPK-1', login_hash: Buffer.alloc(32, 1), device_name: 'SPK-1' }
  const key = vault.seal('devices/device-1/key', Buffer.alloc(32, 9))
  insert('devices', { ...device, key, client_id: 'sbc_1', user_id: 'user-1', created_at: AT })
  insert('device_stores', { device_id: 'device-1', store_id: 'store-1', linked_at: AT })
  const bill = { store_id: 'store-1', amount: 50_000, qrcode: QR, shown_until: AT + 60_000, ...stamps }
  insert('bills', { ...bill, id: 'bill-1', bill_number: 'B1', paid_at: AT })
  insert('bills', { ...bill, id: 'bill-2', bill_number: 'B2' })
  for (let number = 1; number <= payments; number += 1) insertPayment(number)
  sqlite.exec('COMMIT')

  function insertPayment(number: number) {
    const { id, clientId, dedupeKey, contentHash, terminalID, bankCode, ...said } = reported(number)
    insert('payments', {
      ...{ id, client_id: clientId, store_id: 'store-1', bill_id: number === 1 ? 'bill-1' : null },
      ...{
        dedupe_key: dedupeKey,
        content_hash: Buffer.from(contentHash, 'hex'),
        outcome: number === 1 ? 'bill_paid' : 'static_qr',
      },
      ...{ terminal_id: terminalID, bank_code: bankCode, bill_number: said.billNumber, notice: said.notice },
      ...{ amount: 50_000, paid_at: said.paidAt, trace_transfer: said.traceTransfer, ft_code: said.ftCode },
      answer: vault.seal(`payments/${id}/answer`, JSON.stringify(answerTo(number))),
      received_at: said.receivedAt,
    })
  }
}
