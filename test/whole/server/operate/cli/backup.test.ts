import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { downTopic } from '../../../../../protocol/topics.ts'
import { createVault } from '../../../../../server/security/vault.ts'
import { backUp } from '../../../../../server/storage/sqlite/file/backup.ts'
import { openDataFolder } from '../../../../../server/storage/sqlite/file/data-folder.ts'
import { lockForOneHub } from '../../../../../server/storage/sqlite/file/hub-lock.ts'
import { restore } from '../../../../../server/storage/sqlite/file/restore.ts'
import { createShop } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { signedCallback } from '../../../../support/callback.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestHub } from '../../../../support/hub.ts'
import { connectDevice } from '../../../../support/mqtt/mqtt-device.ts'
import { hubEnv, runHub } from '../../../../support/processes/process.ts'
import { openTestStorage } from '../../../../support/storage.ts'
import { until } from '../../../../support/wait.ts'

/** Payment processors that report at once, each one payment after another. */
const PROCESSORS = 2
/** What each still reports when the backup is done: none of it may be in there. */
const AFTERWARDS = 3

/** Reports a payment; resolves with whether it was known. */
async function report(http: string, token: string, ftCode: string): Promise<boolean> {
  const response = await fetch(`${http}/api/v1/partner/payment/callback`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(signedCallback('secret', { terminalID: 'T1', ftCode })),
  })
  await response.text()
  expect(response.status).toBe(200)
  return response.headers.get('Idempotent-Replayed') === 'true'
}

/** Reports payments without a pause until it is told to stop; each processor's in the order of their answers. */
function startLoad(http: string, token: string) {
  let isOn = true
  const answered = Array.from({ length: PROCESSORS }, (): string[] => [])
  const reports = answered.map(async (mine, processor) => {
    for (let left = AFTERWARDS; left > 0; left -= isOn ? 0 : 1) {
      const ftCode = `FT-${processor}-${mine.length}`
      await report(http, token, ftCode)
      mine.push(ftCode)
    }
  })
  const stop = () => {
    isOn = false
    return Promise.all(reports)
  }
  return { answered, stop }
}

async function logIn(http: string, clientId: string): Promise<string> {
  const response = await fetch(`${http}/api/v1/partner/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret: 'secret' }),
  })
  return Object(await response.json()).accessToken
}

it('taken under load, restores a prefix of the answered payments; a repeated report counts once', async () => {
  const hub = await startTestHub()
  const shop = createShop(hub.storage)
  const clientId = await shop.partner()
  // Its speaker is switched off.
  const { serial, key, deviceId, storeId } = await shop.speaker(clientId)
  const env = hubEnv(hub.dataDir)
  const file = join(temporaryFolder(), 'hub.backup')
  const load = startLoad(hub.http, await logIn(hub.http, clientId))
  await until('payments of each', () => load.answered.every((mine) => mine.length > 0))
  const before = load.answered.map((mine) => mine.length)
  const taken = await runHub(['backup', file, '--json'], env)
  await load.stop()
  expect(taken).toMatchObject({ code: 0, stderr: '', json: { file, needsKey: 'HUB_MASTER_KEY' } })
  expect(taken.json).toMatchObject({
    bytes: statSync(file).size,
    note: expect.stringMatching(/key is not in/),
  })
  // As if the speaker had heard everything that the backup does not know.
  const played = await hub.storage.outbox.highestNumber(deviceId)
  await hub.storage.close()
  await hub.stop()

  expect((await runHub(['restore', file, '--json'], env)).stderr).toMatch(/add --force/)
  const restored = await runHub(['restore', file, '--force', '--json'], env)
  const { payments } = Object(taken.json)
  expect(restored).toMatchObject({ code: 0, stderr: '', json: { payments, keptAs: expect.any(String) } })

  const again = await startTestHub({ dataDir: hub.dataDir })
  const lost: string[] = []
  for (const [processor, mine] of load.answered.entries()) {
    const found = mine.map((ftCode) => again.storage.payments.findByFtCode(clientId, ftCode))
    const known = (await Promise.all(found)).map((payment) => payment !== undefined)
    const prefix = known.indexOf(false)
    expect(prefix).toBeGreaterThanOrEqual(before[processor] ?? 0)
    expect(known.lastIndexOf(true)).toBe(prefix - 1)
    lost.push(...mine.slice(prefix))
  }
  const all = load.answered.flat()
  expect(lost).toHaveLength(all.length - payments)

  const token = await logIn(again.http, clientId)
  const isNew = await Promise.all(
    load.answered.map(async (mine) => {
      const fresh: string[] = []
      // One after another: there are the more, the longer the backup has taken.
      for (const ftCode of mine) if (!(await report(again.http, token, ftCode))) fresh.push(ftCode)
      return fresh
    }),
  )
  expect(isNew.flat()).toEqual(lost)
  const store = await again.storage.stores.find(clientId, storeId)
  expect(store?.totalTransaction).toBe(BigInt(all.length))

  const device = await connectDevice(again.mqtt, { serial, key: key.toString('base64url') })
  await device.client.subscribeAsync(downTopic(serial), { qos: 1 })
  await device.birth({ played })
  await device.ack(await device.next('welcome'), 'received')
  expect((await device.next('announce')).n).toBeGreaterThan(played)
})

it('is readable only by its owner, and never overwrites a file', () => {
  const { vault, file: database } = openTestStorage()
  const file = join(temporaryFolder(), 'hub.backup')
  backUp(database, file, vault, OPERATOR)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const bytes = readFileSync(file)
  expect(() => backUp(database, file, vault, OPERATOR)).toThrow(/exists already/)
  expect(readFileSync(file)).toEqual(bytes)
})

it('is not restored while a hub is running', async () => {
  const { vault, file: database } = openTestStorage()
  const file = join(temporaryFolder(), 'hub.backup')
  backUp(database, file, vault, OPERATOR)
  onTestFinished(lockForOneHub(openDataFolder(dirname(database)).lockFile))
  const refused = await runHub(['restore', file, '--force'], hubEnv(dirname(database)))
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^A hub is running on this data folder/)
})

it('names the file of the operator alone when it is missing, or its folder is, or it is a folder', async () => {
  const { file: database } = openTestStorage()
  const missing = join(temporaryFolder(), 'missing', 'hub.backup')
  const env = hubEnv(dirname(database))
  expect(await runHub(['restore', missing], env)).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: `There is no backup ${missing}: name a file that hub backup has written.\n`,
  })
  const refused = await runHub(['backup', missing], env)
  expect(refused.stderr).toContain(
    `can't be written to ${missing} (ENOENT: no such file or directory): name a place`,
  )
  const folder = await runHub(['restore', dirname(database)], env)
  expect(folder.stderr).toContain(
    `Nothing was restored (EISDIR: illegal operation on a directory): name a file`,
  )
})

/** What is done to a backup of an open database, and the sentence that refuses it. */
const REFUSALS: { what: string; change: (file: string) => void; says: RegExp }[] = [
  { what: 'while another connection is open', change: () => undefined, says: /is in use by another command/ },
  {
    what: 'when it is damaged inside',
    change: (file) => writeFileSync(file, readFileSync(file).fill(0xff, 8_192, 16_384)),
    says: /is damaged/,
  },
  {
    what: 'when it was cut short',
    change: (file) => writeFileSync(file, readFileSync(file).subarray(0, 40_960)),
    says: /is damaged/,
  },
  {
    what: 'when it is something else',
    change: (file) => writeFileSync(file, 'something else'),
    says: /is damaged .*not a database/,
  },
  {
    what: "when it is another program's database",
    change(file) {
      writeFileSync(file, '')
      new Database(file).exec('CREATE TABLE other (id)').close()
    },
    says: /is not a backup of a hub/,
  },
  {
    what: 'when its newest commits are in a log beside it',
    change: (file) => writeFileSync(`${file}-wal`, 'commits'),
    says: /is a database in use, not a backup/,
  },
]

it.each(REFUSALS)('is not restored $what, and nothing changes', async ({ change, says }) => {
  const { storage, vault, file: database } = openTestStorage()
  await createShop(storage).partner('sbc_present')
  const file = join(temporaryFolder(), 'hub.backup')
  backUp(database, file, vault, OPERATOR)
  change(file)
  const options = { by: OPERATOR, force: true, aside: `${database}.before`, busyTimeoutMs: 0 }
  expect(() => restore(database, file, vault, options)).toThrow(says)
  expect(await storage.partners.list()).toMatchObject([{ clientId: 'sbc_present' }])
})

it('is not restored under another master key', () => {
  const { vault, file: database } = openTestStorage()
  const file = join(temporaryFolder(), 'hub.backup')
  backUp(database, file, vault, OPERATOR)
  const other = createVault(Buffer.alloc(32, 8))
  const options = { by: OPERATOR, force: true, aside: `${database}.before` }
  expect(() => restore(database, file, other, options)).toThrow(/is sealed under another master key/)
})
