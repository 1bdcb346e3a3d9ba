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
import { OPERATOR } from '../../../support/actors.ts'
import { CALLBACK, checksumOf } from '../../../support/callback.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { storageOptions } from '../../../support/storage-options.ts'

const DAY_MS = 24 * 60 * 60_000

/**
 * The folder of a hub that has recorded a payment. `start` starts the hub on it. The first look of retention comes a quarter of
 * a second after the start, and long after a test: what the hub knows of its clock, it knows when it is ready.
 */
async function folder() {
  const dataDir = temporaryFolder()
  const ids = createRandomIds()
  const masterKey = ids.deviceKey()
  const options = storageOptions({ vault: createVault(masterKey), ids })
  const storage = openSqliteStorage(join(dataDir, 'hub.db'), options)
  onTestFinished(() => storage.close())
  const partner = await createPartner(
    { by: OPERATOR, partners: storage.partners, clock: systemClock, ids },
    'Shop',
  )
  const shop = createShop(storage)
  const [receivedAt, { terminalID }] = [Date.now(), CALLBACK]
  await shop.speaker(partner.clientId, terminalID, receivedAt)
  await payWell(shop, partner.clientId, { ftCode: 'FT-before', terminalID, receivedAt })
  const lines: string[] = []
  const isLogged = (text: string) => lines.some((line) => line.includes(text))
  const time = { setByMs: 0 }

  async function start(settings: Record<string, string> = {}) {
    let isReady = false
    const hub = await startHub(
      readConfig({
        ...{ HUB_DATA_DIR: dataDir, HUB_MASTER_KEY: masterKey.toString('base64') },
        ...{ HUB_HTTP_PORT: '0', HUB_MQTT_PORT: '0', HUB_ADMIN_PORT: '0', ...settings },
      }),
      {
        clock: {
          ...systemClock,
          now: () => systemClock.now() + time.setByMs,
          after: (ms, act) => systemClock.after(isReady ? ms : ms + DAY_MS, act),
        },
        ids,
        log: createLog('info', { write: (line) => void lines.push(line) }),
        openStorage: openThreadedStorage,
      },
    )
    isReady = true
    onTestFinished(() => hub.stop())
    return hub
  }
  return { ...partner, storage, time, isLogged, start }
}

async function logIn(http: string, credentials: { clientId: string; clientSecret: string }): Promise<string> {
  const answer = await fetch(new URL('/api/v1/partner/auth/token', http), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  return String(Object(await answer.json()).accessToken)
}

it('a hub that starts with a dead clock is not ready, refuses no payment for its date, and heals by itself', async () => {
  const { clientId, clientSecret, time, isLogged, start } = await folder()
  time.setByMs = -400 * DAY_MS
  const hub = await start()
  const ready = async () => (await fetch(new URL('/readyz', hub.http))).json()
  expect(await ready()).toEqual({ status: 'not ready', reason: 'clock' })
  expect(isLogged('behind the newest payment')).toBe(true)

  const login = () => logIn(hub.http, { clientId, clientSecret })
  let accessToken = await login()
  const report = async (change: Partial<typeof CALLBACK>) => {
    const fields = { ...CALLBACK, payDate: isoInstant(Date.now()), ...change }
    const answer = await fetch(new URL('/api/v1/partner/payment/callback', hub.http), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ ...fields, checkSum: checksumOf(clientSecret, fields) }),
    })
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
  }
  expect(await report({ ftCode: 'FT-now' })).toEqual({ status: 503, retryAfter: '30' })
  expect(await report({ transactionAmount: '0' })).toMatchObject({ status: 400 })
  // By this clock, too, such a date is not ahead.
  expect(await report({ ftCode: 'FT-old', payDate: isoInstant(Date.now() - 500 * DAY_MS) })).toMatchObject({
    status: 200,
  })

  time.setByMs = 0
  // The first token was issued 400 days ago.
  accessToken = await login()
  expect(await ready()).toEqual({ status: 'ready' })
  expect(await report({ ftCode: 'FT-now' })).toMatchObject({ status: 200 })
})

it.each([
  ['payments', { HUB_KEEP_PAYMENTS_DAYS: '2' }],
  ['events', { HUB_KEEP_EVENTS_DAYS: '2', HUB_KEEP_PAYMENTS_DAYS: '90' }],
])(
  'a start three days after the newest payment is doubted where %s are kept for two days',
  async (_, keep) => {
    const { time, isLogged, start } = await folder()
    time.setByMs = 3 * DAY_MS
    await start(keep)
    expect(isLogged('retention waits')).toBe(true)
  },
)

it('that the clock was set is stored before anything is stored by the new time', async () => {
  const { clientId, clientSecret, storage, time, start } = await folder()
  const { http } = await start()
  const doubts = async () => (await storage.audit.list({ action: 'clock.doubt', limit: 10 })).length
  await logIn(http, { clientId, clientSecret })
  expect(await doubts()).toBe(0)
  time.setByMs = 100 * DAY_MS
  // Whatever kills the hub from here on, its next start finds the doubt.
  await logIn(http, { clientId, clientSecret })
  expect(await doubts()).toBe(1)
})
