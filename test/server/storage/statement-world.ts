import type { Payment } from '../../../server/payments/payment.ts'
import { createCursors } from '../../../server/platform/lists/cursors.ts'
import { createSlices } from '../../../server/platform/lists/slices.ts'
import { profileSchema } from '../../../server/reconciliation/formats/profile.ts'
import { outcome } from '../../../server/reconciliation/match/model.ts'
import { NO_SUMMARY } from '../../../server/reconciliation/match/summary.ts'
import type { NewRow } from '../../../server/reconciliation/ports.ts'
import { reconcile } from '../../../server/reconciliation/reconcile.ts'
import type { Matchings } from '../../../server/reconciliation/worker/client.ts'
import { matchingHere } from '../../../server/reconciliation/worker/matching.ts'
import { createVault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { OPERATOR } from '../../support/actors.ts'
import type { Bank, Movement } from '../../support/statements/banks.ts'
import { TEST_MASTER_KEY } from '../../support/storage.ts'
import { AT, createShop } from './shop.ts'
import type { OpenStorage } from './storage-contract.ts'

/** The account of the shop's till. */
export const ACCOUNT = '0001234567'
export const ZONE = 'Asia/Ho_Chi_Minh'

/** A thread takes longer to start than a test to match. */
const HERE: Matchings = { inThread: async () => matchingHere(), stored: matchingHere }

/** The verbs on a storage. Time stands still but for `clock.now`. */
export function verbsOn(storage: Storage, clock = { at: AT }) {
  const ids = createShop(storage).ids
  return reconcile({
    ...{ statements: storage.statements, slices: createSlices(), matchings: HERE, ids },
    cursors: createCursors(createVault(TEST_MASTER_KEY)),
    clock: {
      now: () => clock.at,
      after(ms, act) {
        clock.at += ms
        setImmediate(act)
        return () => undefined
      },
    },
  })
}

/** A storage with a partner and a till, whose account has statements. */
export async function statementWorld(open: OpenStorage) {
  const opened = await open()
  const { storage } = opened
  const shop = createShop(storage)
  const clientId = await shop.partner('sbc_1')
  const { storeId, serial } = await shop.speaker(clientId)
  const clock = { at: AT }
  const verbs = verbsOn(storage, clock)
  let made = 0

  /** A payment that was paid at this time. It has no codes unless they are given. */
  async function pay(change: Partial<Payment> = {}): Promise<string> {
    made += 1
    // An id tells when its callback came.
    const id = `${AT.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7${shop.ids.uuid().slice(15)}`
    const payment = shop.payment(clientId, { id, traceTransfer: '', ...change })
    // A callback without an ftCode is known by its trace and its time.
    const dedupeKey = change.ftCode === '' ? JSON.stringify(['made', made]) : payment.dedupeKey
    const result = await storage.payments.record({ ...payment, dedupeKey })
    if (result.kind !== 'recorded') throw new Error(`not recorded: ${result.kind}`)
    return payment.id
  }

  /** Imports what a bank writes. */
  async function importAs(bank: Bank, movements: readonly Movement[], opening = 0): Promise<string> {
    const { name, profile } = bank
    if (profile) await verbs.saveProfile(OPERATOR, name, profile)
    const bytes = bank.write(movements, opening)
    return verbs.importStatement(OPERATOR, {
      ...{ clientId, account: ACCOUNT, profile: profile && name },
      bytes,
    })
  }

  /** The rows of a statement, by their number. */
  async function rowsOf(id: string) {
    const { lines } = await verbs.statementRows(undefined, id, undefined, { limit: 500 })
    return lines.flatMap((line) => ('row' in line ? line.row : []))
  }

  /** The tables that no statement may change: all but those of statements and the audit. */
  async function untouched() {
    const tables = Object.entries(await opened.tables())
    return Object.fromEntries(tables.filter(([name]) => !OWN_TABLES.includes(name)))
  }

  return { ...opened, shop, clientId, storeId, serial, clock, verbs, pay, importAs, rowsOf, untouched }
}

const OWN_TABLES = [
  ...['bank_profiles', 'bank_accounts', 'account_payments', 'statements', 'statement_rows', 'signoffs'],
  'audit',
]

let begun = 0

/** Begins an import of an account of its own, and returns its id. */
export async function begunStatement(storage: Storage, clientId: string): Promise<string> {
  begun += 1
  const id = `statement-${begun}`
  const result = await storage.statements.begin(OPERATOR, {
    ...{
      id,
      clientId,
      account: `ACCOUNT${begun}`,
      format: 'camt.053',
      profile: undefined,
      sha256: id,
      zone: ZONE,
    },
    ...{
      from: '2026-11-20',
      to: '2026-11-20',
      fromAt: AT,
      untilAt: AT + 1,
      opening: 0,
      closing: 5,
      rowCount: 1,
    },
    importedAt: AT,
  })
  if (result.kind !== 'begun') throw new Error(`not begun: ${result.kind}`)
  return id
}

/** Stores a statement with one credit. */
export async function storedStatement(storage: Storage, clientId: string): Promise<string> {
  const id = await begunStatement(storage, clientId)
  const row: NewRow = {
    ...{
      id: `${id}/000001`,
      n: 1,
      date: '2026-11-20',
      at: AT,
      amount: 5,
      direction: 'credit',
      references: ['FT-x'],
    },
    ...{ text: 'NGUYEN VAN AN chuyen tien', isReversal: false, isOutside: false, isBatch: false },
    ...outcome('bank_only'),
  }
  await storage.statements.addRows(id, [row], AT)
  await storage.statements.finish(OPERATOR, id, { version: 0, summary: NO_SUMMARY }, AT)
  return id
}

/** Fills each table of statements. */
export async function filledStatement(storage: Storage, clientId: string) {
  const profile = profileSchema.parse({ columns: { date: 1, amount: 2, text: 3 } })
  await storage.statements.saveProfile(OPERATOR, { name: 'lotus', profile, updatedAt: AT })
  const statementId = await storedStatement(storage, clientId)
  const codes = { ftCode: 'FT-x', traceTransfer: '', billNumber: '', terminalID: 'T1' }
  const payment = { id: `p ${statementId}`, paidAt: AT, amount: 5, ...codes }
  await storage.statements.decide(OPERATOR, { statementId, n: 1 }, payment, AT)
  const found = await storage.statements.find(clientId, statementId)
  const { version } = await storage.statements.state(found?.accountId ?? '')
  const signOff = { id: `s ${statementId}`, statementId, at: AT, note: '', hash: 'h', snapshot: '{}' }
  await storage.statements.sign(OPERATOR, signOff, version)
}
