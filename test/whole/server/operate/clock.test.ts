import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startHub } from '../../../../server/hub.ts'
import { createPartner } from '../../../../server/partners/manage-partners.ts'
import { isoInstant, systemClock } from '../../../../server/platform/clock.ts'
import { readConfig } from '../../../../server/platform/config.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import { openThreadedStorage } from '../../../../server/storage/writer/storage.ts'
import { createShop, payWell } from '../../../server/storage/shop.ts'
import { CALLBACK, checksumOf } from '../../../support/callback.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { storageOptions } from '../../../support/storage-options.ts'

const DAY_MS = 24 * 60 * 60_000

/** A hub in this process whose clock is set, on a file with a payment of now. */
async function world(setBy: { ms: number }) {
  const dataDir = temporaryFolder()
  const ids = createRandomIds()
  const masterKey = ids.deviceKey()
  const options = storageOptions({ vault: createVault(masterKey), ids })
  const storage = openSqliteStorage(join(dataDir, 'hub.db'), options)
  onTestFinished(() => storage.close())
  const { clientId, clientSecret } = await createPartner(
    { partners: storage.partners, clock: systemClock, ids },
    'Shop',
  )
  const shop = createShop(storage)
  await shop.speaker(clientId, CALLBACK.terminalID, Date.now())
  await payWell(shop, clientId, {
    ftCode: 'FT-before',
    terminalID: CALLBACK.terminalID,
    receivedAt: Date.now(),
  })

  const lines: string[] = []
  const hub = await startHub(
    readConfig({
      ...{ HUB_DATA_DIR: dataDir, HUB_MASTER_KEY: masterKey.toString('base64') },
      ...{ HUB_HTTP_PORT: '0', HUB_MQTT_PORT: '0', HUB_ADMIN_PORT: '0' },
    }),
    {
      clock: { ...systemClock, now: () => systemClock.now() + setBy.ms },
      ids,
      log: createLog('info', { write: (line) => void lines.push(line) }),
      openStorage: openThreadedStorage,
    },
  )
  onTestFinished(() => hub.stop())
  const ready = async () => (await fetch(new URL('/readyz', hub.http))).json()

  async function login() {
    const answer = await fetch(new URL('/api/v1/partner/auth/token', hub.http), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret }),
    })
    return String(Object(await answer.json()).accessToken)
  }
  const report = async (accessToken: string, change: Partial<typeof CALLBACK>) => {
    const fields = { ...CALLBACK, ...change, payDate: isoInstant(Date.now()) }
    const answer = await fetch(new URL('/api/v1/partner/payment/callback', hub.http), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ ...fields, checkSum: checksumOf(clientSecret, fields) }),
    })
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
  }
  return { storage, lines, ready, login, report }
}

it('a hub that starts with a dead clock is not ready, refuses no payment for its date, and heals by itself', async () => {
  const setBy = { ms: -400 * DAY_MS }
  const { lines, ready, login, report } = await world(setBy)
  expect(await ready()).toEqual({ status: 'not ready', reason: 'clock' })
  expect(lines.filter((line) => line.includes('behind the newest payment'))).toHaveLength(1)

  let accessToken = await login()
  expect(await report(accessToken, { ftCode: 'FT-now' })).toEqual({ status: 503, retryAfter: '30' })
  expect(await report(accessToken, { transactionAmount: '0' })).toMatchObject({ status: 400 })

  setBy.ms = 0
  // The first token was issued 400 days ago.
  accessToken = await login()
  expect(await ready()).toEqual({ status: 'ready' })
  expect(await report(accessToken, { ftCode: 'FT-now' })).toMatchObject({ status: 200 })
})

it('that the clock was set is stored before anything is stored by the new time', async () => {
  const setBy = { ms: 0 }
  const { storage, login, report } = await world(setBy)
  const doubts = async () => (await storage.audit.list({ action: 'clock.doubt', limit: 10 })).length
  await login()
  expect(await doubts()).toBe(0)
  setBy.ms = 100 * DAY_MS
  // Whatever kills the hub from here on, its next start finds the doubt.
  const accessToken = await login()
  expect(await doubts()).toBe(1)
  expect(await report(accessToken, { ftCode: 'FT-ahead' })).toMatchObject({ status: 200 })
  expect(await doubts()).toBe(1)
})
