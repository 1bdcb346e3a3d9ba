import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createVault } from '../../../../../server/security/vault.ts'
import { openDataFolder } from '../../../../../server/storage/sqlite/file/data-folder.ts'
import { openFolder, openHere } from '../../../../../server/storage/sqlite/file/open-folder.ts'
import { rotateMasterKey } from '../../../../../server/storage/sqlite/file/rotate-key.ts'
import { createShop } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { killedAtFile } from '../../../../support/processes/killed-at-file.ts'
import { hubEnv } from '../../../../support/processes/process.ts'
import { storageOptions } from '../../../../support/storage-options.ts'

const PAYMENTS = 2_000
/** A rotation may be done before a loaded machine has killed it. */
const ATTEMPTS = 10
const filled = filledFolder()

/** The same again, to be worked on. */
async function copyOfFolder() {
  const { path, look } = await filled
  const copy = temporaryFolder()
  cpSync(path, copy, { recursive: true })
  return { path: copy, look }
}

/** A data folder with its key in a file, and enough in it that a rotation takes its time. */
async function filledFolder() {
  const path = temporaryFolder(afterAll)
  const { storage } = await openFolder(
    {
      folder: openDataFolder(path),
      masterKey: undefined,
      ...storageOptions({}),
    },
    openHere,
  )
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const { storeId } = await shop.speaker(clientId)
  const payments = Array.from({ length: PAYMENTS }, (_, n) => shop.payment(clientId, { ftCode: `FT${n}` }))
  await Promise.all(payments.map((payment) => shop.pay(clientId, payment)))
  storage.close()

  /** Opens a folder that a rotation has left at some point, and looks at everything in it. */
  async function look(left: string) {
    const folder = openDataFolder(left)
    const opened = await openFolder({ folder, masterKey: undefined, ...storageOptions({}) }, openHere)
    const names = readdirSync(left)
      .filter((name) => name.startsWith('master.key'))
      .sort()
    const store = await opened.storage.stores.find(clientId, storeId)
    for (const n of [0, PAYMENTS - 1])
      expect(await opened.storage.payments.findByFtCode(clientId, `FT${n}`)).toMatchObject({
        payment: payments[n],
      })
    opened.storage.close()
    return {
      names,
      key: folder.keys.current(),
      count: store?.totalTransaction,
      bytes: readFileSync(folder.databaseFile),
    }
  }
  return { path, look }
}

it('leaves a folder that opens, wherever it crashes: under the old key before the commit, under the new one after it', async () => {
  const { path, look } = await copyOfFolder()
  const { keys, databaseFile } = openDataFolder(path)
  const old = keys.current()
  const from = createVault(old)
  let next = old
  const left = new Map<string, string>()
  /** What a kill would leave at this point: the files as they are, whatever SQLite still holds in memory. */
  const dieHere = (point: string) => {
    const copy = temporaryFolder()
    cpSync(path, copy, { recursive: true })
    left.set(point, copy)
  }

  rotateMasterKey(
    databaseFile,
    from,
    {
      prepare() {
        dieHere('the file is taken')
        next = keys.prepareNext()
        dieHere('the next key is written')
        const to = createVault(next)
        let seals = 0
        return {
          ...to,
          seal(...value) {
            seals += 1
            if (seals === PAYMENTS) dieHere('in the middle of sealing')
            return to.seal(...value)
          },
        }
      },
      adopt() {
        dieHere('committed')
        dieHere('the old key is kept')
        const [copy = ''] = [left.get('the old key is kept')]
        writeFileSync(join(copy, 'master.key.previous'), `${old.toString('base64')}\n`, { mode: 0o600 })
        keys.adoptNext()
        dieHere('the next key is in force')
      },
    },
    OPERATOR,
  )
  dieHere('done')

  const oldHeader = from.seal('', '').subarray(0, 5)
  const points = [...left.keys()]
  for (const [point, folder] of left) {
    const found = await look(folder)
    const isBefore = points.indexOf(point) < points.indexOf('committed')
    expect(found.key, point).toEqual(isBefore ? old : next)
    expect(found.names, point).toEqual(isBefore ? ['master.key'] : ['master.key', 'master.key.previous'])
    expect(found.count, point).toBe(BigInt(PAYMENTS))
    // The next opening has also written the file anew.
    expect(found.bytes.includes(oldHeader), point).toBe(isBefore)
    await look(folder)
  }
  expect(points).toHaveLength(7)
})

it('creates no new key while the next file is the only copy of the key in force', async () => {
  const { path } = await copyOfFolder()
  const { keys } = openDataFolder(path)
  const inForce = keys.prepareNext()
  expect(() => keys.prepareNext()).toThrow(
    /^Nothing was changed: .*master\.key\.next holds the database's key/,
  )
  expect(keys.settle((key) => key.equals(inForce))).toEqual(inForce)
})

/** A copy of the folder whose rotation was killed as soon as there was that file. */
async function killedAt(sign: RegExp) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { path, look } = await copyOfFolder()
    const env = hubEnv(path, { HUB_MASTER_KEY: '' })
    if ((await killedAtFile(path, sign, ['master-key', 'rotate'], env)) === null) return { path, look }
  }
  throw new Error(`the rotation was done before it could be killed, ${ATTEMPTS} times`)
}

it.each([/^master\.key\.next$/, /^master\.key\.previous$/])(
  'survives kill -9 as soon as there is %s',
  async (sign) => {
    const { path, look } = await killedAt(sign)
    const first = await look(path)
    expect(first.count).toBe(BigInt(PAYMENTS))
    expect(first.names).not.toContain('master.key.next')
    expect((await look(path)).key).toEqual(first.key)
  },
)
