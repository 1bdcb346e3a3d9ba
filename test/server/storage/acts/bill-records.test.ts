import { expect, it } from 'vitest'
import { createVault } from '../../../../server/security/vault.ts'
import { carryOut, type Engine } from '../../../../server/storage/acts/act.ts'
import { createBillRecords } from '../../../../server/storage/acts/bill-records.ts'
import { POSTGRES } from '../../../../server/storage/postgres/schema/statements.ts'
import { createStoreMapping } from '../../../../server/storage/shared/store-mapping.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'

const STORE = { id: 'S', clientId: 'A', totalTransaction: '0', totalAmount: '0' }

it('a bill that another transaction stores at the same moment is locked before it is judged', async () => {
  const vault = createVault(TEST_MASTER_KEY)
  const asked: string[] = []
  const answers: Record<string, () => unknown[]> = {
    'stores.find': () => [{ ...STORE, ...createStoreMapping(vault).toNewColumns('S', {}) }],
    // Another one has stored it, and a payment pays it before this one holds its lock.
    'bills.ofNumber': () => [{ id: 'other', paidAt: asked.includes('bills.lock') ? 1 : null }],
  }
  const run = ({ name }: { name: string }) => {
    asked.push(name)
    return answers[name]?.() ?? []
  }
  const engine = {
    ...POSTGRES,
    ...{ vault, raise: () => undefined },
    writing:
      (act: (...args: unknown[]) => never) =>
      (...args: unknown[]) =>
        carryOut(act(...args), run),
  } as unknown as Engine
  const bill = { id: 'mine', storeId: 'S', billNumber: 'B', amount: '1', qrcode: '', shownUntil: 1 }
  const stored = await createBillRecords(engine).put('A', bill, 1)
  expect(stored).toEqual({ kind: 'already_paid' })
  expect(asked.slice(1)).toEqual(['bills.insert', 'bills.lock', 'bills.ofNumber'])
})
