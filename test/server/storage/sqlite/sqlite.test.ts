import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import { AT, createShop, hashOf, payWell } from '../shop.ts'
import { storageContract } from '../storage-contract.ts'
import { unboundedSteps } from './query-plans.ts'
import { watchStatements } from './watch-statements.ts'

const compiled = watchStatements()

storageContract('SQLite', async (rules) => {
  const clock = createVirtualClock()
  const { storage, file, vault, reopen } = openTestStorage(undefined, rules, clock)
  async function openOther() {
    const other = openSqliteStorage(file, storageOptions({ vault }))
    onTestFinished(() => other.close())
    return other
  }
  return { storage, reopen: async () => reopen(), openOther, passTime: () => clock.wind(1_000) }
})

describe('the statements that the contract has run', () => {
  it('are compiled once for each connection', () => {
    expect(compiled.texts().length).toBeGreaterThan(100)
    expect(compiled.repeated()).toEqual([])
  })

  it('scan and sort no table that grows', () => {
    const { file } = openTestStorage()
    expect(unboundedSteps(file, compiled.texts())).toEqual([])
  })
})

/** Everything that an eye on the disk could see. */
function bytesOf(file: string): Buffer {
  const parts = [file, `${file}-wal`].filter((part) => existsSync(part))
  return Buffer.concat(parts.map((part) => readFileSync(part)))
}

it('leaves no secret and no personal number readable in the file or its log', async () => {
  const { storage, file, reopen } = openTestStorage()
  const { partners } = storage
  const shop = createShop(storage)
  await partners.create(
    { clientId: 'sbc_1', name: 'A name in the clear', disabledAt: undefined, createdAt: AT },
    'sbs_first-secret',
  )
  await partners.rotateSecret('sbc_1', 'sbs_second-secret', AT, AT + 1_000)
  const device = await shop.device('SPK-IN-THE-CLEAR')
  await shop.issue('sbc_1', device)
  const store = { terminalID: 'T1', phoneNumber: '0912345678', staticQRCode: 'static QR of 0001234567' }
  const registered = await storage.devices.register(shop.registration('sbc_1', device.serial, { store }), AT)
  const storeId = registered.kind === 'registered' ? registered.store.id : ''
  await storage.stores.update('sbc_1', storeId, { ownerName: 'TRAN VAN BINH' }, AT)
  await storage.bills.put('sbc_1', shop.bill(storeId, { qrcode: 'QR of 0001234567 too' }), AT)
  const notice = 'LE THI DAO 0987654321 chuyen tien'
  const paid = await payWell(shop, 'sbc_1', { billNumber: 'B1', notice })
  expect(paid.answer).toMatchObject({ bankAccountNumber: '0001234567', qrcode: 'QR of 0001234567 too' })
  const body = JSON.stringify({ phoneNumber: '0912345678' })
  const request = hashOf('register with the code 123456')
  const kept = { request, outcome: { kind: 'done' as const, status: 201, body } }
  await storage.idempotency.keep(hashOf('key'), kept, AT, AT + 1)

  for (const when of ['open', 'closed']) {
    const bytes = bytesOf(file)
    expect(bytes.includes('A name in the clear'), `the ${when} file was read`).toBe(true)
    for (const secret of ['sbs_first-secret', 'sbs_second-secret'])
      expect(bytes.includes(secret), `${secret}, ${when}`).toBe(false)
    for (const spelled of [device.key, device.key.toString('base64url'), device.key.toString('hex')])
      expect(bytes.includes(spelled), `the device's key, ${when}`).toBe(false)
    // From its hash a request with so few unknowns could be guessed.
    for (const spelled of [request, request.toString('base64')])
      expect(bytes.includes(spelled), `a request's hash, ${when}`).toBe(false)
    const numbers = ['0912345678', '001099012345', '0001234567', '0987654321']
    for (const personal of [...numbers, 'NGUYEN THI HA', 'TRAN VAN BINH', 'LE THI DAO'])
      expect(bytes.includes(personal), `${personal}, ${when}`).toBe(false)
    reopen()
  }
})

it('commits the waiting writes before it closes', async () => {
  const { storage, reopen } = openTestStorage()
  const shop = createShop(storage)
  const minted = shop.device('SPK-1')
  expect(await reopen().devices.list()).toMatchObject([{ serial: 'SPK-1' }])
  await minted
})

it('refuses another master key with a sentence for the operator', () => {
  const { file } = openTestStorage()
  const open = () =>
    openSqliteStorage(
      file,
      storageOptions({ vault: createVault(Buffer.alloc(32, 8)), ids: createRandomIds() }),
    )
  expect(open).toThrow(/The master key is not the one/)
})

it('tells the operator that a file can not be opened, and what to do', () => {
  const folder = temporaryFolder()
  const open = () =>
    openSqliteStorage(
      folder,
      storageOptions({ vault: createVault(Buffer.alloc(32)), ids: createRandomIds() }),
    )
  expect(open).toThrow(/can't be opened .*: make the data folder readable and writable/)
})
