import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRandomIds } from '../../../../../../server/platform/ids.ts'
import { createVault } from '../../../../../../server/security/vault.ts'
import { SCRUB_DUE } from '../../../../../../server/storage/sqlite/engine/scrub.ts'
import { migrate } from '../../../../../../server/storage/sqlite/schema/migrate.ts'
import { openSqliteStorage } from '../../../../../../server/storage/sqlite/storage.ts'
import { AT, createShop } from '../../../../../server/storage/shop.ts'
import {
  answerTo,
  makePreviousDatabase,
  READABLE,
  reported,
  STORE,
} from '../../../../../server/storage/sqlite/schema/previous-schema.ts'
import { temporaryFolder } from '../../../../../support/folder.ts'
import { hubEnv, runHub } from '../../../../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../../../../support/storage.ts'
import { storageOptions } from '../../../../../support/storage-options.ts'

const vault = createVault(TEST_MASTER_KEY)

function open(file: string, masterKey = TEST_MASTER_KEY) {
  const storage = openSqliteStorage(
    file,
    storageOptions({ vault: createVault(masterKey), ids: createRandomIds() }),
  )
  onTestFinished(() => storage.close())
  return storage
}

/** Which of the values can be read in the bytes of any file of the folder. */
function readableIn(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.startsWith('hub.db'))
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(folder, name))))
  return Object.values(READABLE).filter((value) => bytes.includes(value))
}

function schemaOf(file: string): unknown[] {
  const sqlite = new Database(file, { readonly: true })
  const rows = sqlite.prepare<[], { type: string; name: string; sql: string | null }>(
    'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name',
  )
  const found = rows.all().map((row) => ({ ...row, sql: row.sql?.replaceAll('"', '').replace(/\s+/g, '') }))
  sqlite.close()
  return found
}

describe('a database of the first schema', () => {
  it('returns every value through the ports after it was sealed', async () => {
    const storage = open(makePreviousDatabase(temporaryFolder()))
    expect(await storage.stores.find('sbc_1', 'store-1')).toEqual(STORE)
    expect(await storage.partners.liveSecrets('sbc_1', AT)).toMatchObject([{ secret: 'sbs_secret' }])
    expect(await storage.devices.credentials('SPK-1')).toMatchObject({ key: Buffer.alloc(32, 9) })
    expect(await storage.outbox.screen('device-1', AT)).toMatchObject({
      profile: { name: STORE.storeName, qr: STORE.staticQRCode },
      bill: { id: 'bill-2', qr: STORE.staticQRCode, billNumber: 'B2' },
    })
    for (const number of [1, 2, 300])
      expect(await storage.payments.findByFtCode('sbc_1', `FT${number}`)).toMatchObject({
        payment: reported(number),
        outcome: number === 1 ? 'bill_paid' : 'static_qr',
      })
  })

  it('recognizes its payments: a repeat gets the first answer, other content is a conflict', async () => {
    const storage = open(makePreviousDatabase(temporaryFolder()))
    const shop = createShop(storage)
    for (const number of [1, 300])
      expect(await shop.pay('sbc_1', reported(number))).toEqual({
        kind: 'replayed',
        answer: answerTo(number),
      })
    const other = { ...reported(2), contentHash: '00'.repeat(32) }
    expect(await shop.pay('sbc_1', other)).toEqual({ kind: 'conflict' })
    const late = { ...reported(1), id: 'late', ftCode: 'FT-late', dedupeKey: 'late' }
    expect(await shop.pay('sbc_1', late)).toMatchObject({ answer: { qrcode: STORE.staticQRCode } })
    expect(await storage.payments.findByFtCode('sbc_1', 'FT-late')).toMatchObject({
      outcome: 'bill_already_paid',
    })
  })

  it('holds nothing readable any more in any page, gap or log, neither open nor closed', () => {
    const folder = temporaryFolder()
    const file = makePreviousDatabase(folder)
    expect(readableIn(folder)).toEqual([
      READABLE.account,
      READABLE.owner,
      READABLE.holder,
      READABLE.phoneInNotice,
    ])
    const storage = open(file)
    expect(readableIn(folder)).toEqual([])
    storage.close()
    expect(readableIn(folder)).toEqual([])
  })

  it('is rewritten by the next opening when the first one died before its rewrite', () => {
    const folder = temporaryFolder()
    const file = makePreviousDatabase(folder)
    const dying = new Database(file)
    migrate(dying, vault)
    dying.close()
    // Of what stands in free pages, later migrations have written over some.
    expect(readableIn(folder)).not.toEqual([])
    open(file)
    expect(readableIn(folder)).toEqual([])
  })

  it('is not scrubbed while a reader prevents the rewrite; the next opening rewrites it', () => {
    const file = makePreviousDatabase(temporaryFolder())
    expect(open(file).scrubbed).toBe(true)
    const other = new Database(file)
    other.pragma(`user_version = ${SCRUB_DUE}`)
    other.close()
    // A reader of an old snapshot: the log can't be emptied while it reads.
    const reader = new Database(file)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM partners').get()
    const connection = new Database(file)
    connection.exec('UPDATE partners SET name = name')
    connection.close()
    expect(open(file).scrubbed).toBe(false)
    reader.close()
    expect(open(file).scrubbed).toBe(true)
  })

  it('has the schema of a new file after its migration, and every reference holds', () => {
    const upgraded = makePreviousDatabase(temporaryFolder())
    const fresh = join(temporaryFolder(), 'hub.db')
    for (const file of [upgraded, fresh]) open(file).close()
    expect(schemaOf(upgraded)).toEqual(schemaOf(fresh))
    const sqlite = new Database(upgraded)
    expect(sqlite.pragma('foreign_key_check')).toEqual([])
    expect(sqlite.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
    sqlite.close()
  })

  it('is not touched under a wrong master key', async () => {
    const file = makePreviousDatabase(temporaryFolder())
    expect(() => open(file, Buffer.alloc(32, 8))).toThrow(/The master key is not the one/)
    expect(await open(file).stores.find('sbc_1', 'store-1')).toEqual(STORE)
  })

  it('is migrated once by several processes that open it at the same time', async () => {
    const folder = temporaryFolder()
    const file = makePreviousDatabase(folder, 3_000)
    const commands = ['NEW-1', 'NEW-2', 'NEW-3'].map((serial) =>
      runHub(['device', 'add', '--serial', serial, '--json'], hubEnv(folder)),
    )
    for (const ended of await Promise.all(commands)) expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(await createShop(open(file)).pay('sbc_1', reported(1))).toMatchObject({ kind: 'replayed' })
    expect(readableIn(folder)).toEqual([])
  })
})

it('gives each migration a later time than the one before, so that none is taken for applied', () => {
  const journal = new URL(
    '../../../../../../server/storage/sqlite/schema/migrations/meta/_journal.json',
    import.meta.url,
  )
  const { entries } = Object(JSON.parse(readFileSync(journal, 'utf8')))
  const times: number[] = entries.map((entry: { when: number }) => entry.when)
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
})
