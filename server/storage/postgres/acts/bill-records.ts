import type { BillRecords } from '../../../payments/ports.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'
import { speakersOf } from '../rows/device-rows.ts'
import { createStoreRows } from '../rows/store-rows.ts'

interface Known {
  id: string
  paidAt: number | null
}

type NewBill = Parameters<BillRecords['put']>[1]

export function createBillRecords({ write, vault }: PostgresDatabase): BillRecords {
  const sealed = sealedFields(vault, 'bills')
  const stores = createStoreRows(vault)

  /** Locks the bill of this number: no payment pays it before the commit. */
  async function lock(tx: Tx, { storeId, billNumber }: NewBill): Promise<Known | undefined> {
    const [known] = await tx.query<Known>(
      'bills.lock',
      `SELECT id, paid_at AS "paidAt" FROM bills WHERE store_id = $1 AND bill_number = $2
       FOR NO KEY UPDATE`,
      [storeId, billNumber],
    )
    return known
  }

  /** False when the store has a bill of this number. */
  async function insert(tx: Tx, bill: NewBill, at: number): Promise<boolean> {
    const added = await tx.query(
      'bills.insert',
      `INSERT INTO bills (id, store_id, bill_number, amount, qrcode, shown_until, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
       ON CONFLICT (store_id, bill_number) DO NOTHING RETURNING 1`,
      [
        ...[bill.id, bill.storeId, bill.billNumber, Number(bill.amount)],
        ...[sealed.seal(bill.id, 'qrcode', bill.qrcode), bill.shownUntil, at],
      ],
    )
    return added.length === 1
  }

  async function update(tx: Tx, id: string, bill: NewBill, at: number) {
    await tx.query(
      'bills.update',
      'UPDATE bills SET amount = $2, qrcode = $3, shown_until = $4, updated_at = $5 WHERE id = $1',
      [id, Number(bill.amount), sealed.seal(id, 'qrcode', bill.qrcode), bill.shownUntil, at],
    )
  }

  return {
    put: (clientId, bill, at) =>
      write(async (tx) => {
        const store = await stores.find(tx.query, bill.storeId)
        if (store?.clientId !== clientId) return { kind: 'store_not_found' }
        let known = await lock(tx, bill)
        // Another transaction may store it at the same moment. The insert waits for that one.
        if (!known && !(await insert(tx, bill, at))) known = await lock(tx, bill)
        if (known && known.paidAt !== null) return { kind: 'already_paid' }
        if (known) await update(tx, known.id, bill, at)
        const speakers = await speakersOf(tx.query, bill.storeId)
        return { kind: 'stored', bill: { ...bill, id: known?.id ?? bill.id, paid: false }, store, speakers }
      }),
  }
}
