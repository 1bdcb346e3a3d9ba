import { expect, it, onTestFinished } from 'vitest'
import {
  type Attempt,
  HubClient,
  type HubClientOptions,
  verifyWebhook,
} from '../../../../clients/typescript/src/index.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { REGISTRATION } from '../../../support/api.ts'
import { CALLBACK } from '../../../support/callback.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { connectPartner } from '../../../support/http/partner-client.ts'
import { startTestHub, type TestHub } from '../../../support/hub.ts'
import { shopWith } from '../../../support/mqtt/obedient-device.ts'
import { switchOn } from '../../../support/mqtt/speaker.ts'
import { startOwnHub } from '../../../support/processes/own-hub.ts'
import { minted } from '../../../support/processes/shop.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { until } from '../../../support/wait.ts'
import { startReceiver } from '../../../support/webhooks/receiver.ts'

type Credentials = Pick<HubClientOptions, 'clientId' | 'clientSecret'>

/** A client that waits as long as a loaded machine may need, and its attempts. */
function connect(url: string, credentials: Credentials, options: Partial<HubClientOptions> = {}) {
  const attempts: Attempt[] = []
  const onAttempt = (attempt: Attempt) => void attempts.push(attempt)
  const patient = { timeLimitMs: 600_000, attemptLimitMs: 600_000 }
  const client = new HubClient({ url, ...credentials, ...patient, onAttempt, ...options })
  // A loaded machine also makes a hub answer late or with 503.
  const codes = () =>
    attempts.map(({ error }) => Object(error).code).filter((code) => code !== undefined && code !== 50300)
  return { client, attempts, codes }
}

/** A hub in this process, with a partner and a shop whose speaker obeys. */
async function shop(options: Parameters<typeof startTestHub>[0] = {}) {
  const hub = await startTestHub(options)
  const credentials = await hub.partner()
  await openShop(hub, credentials, await hub.device())
  return { hub, credentials }
}

const openShop = async (
  hub: Pick<TestHub, 'http' | 'mqtt'>,
  credentials: Credentials,
  device: Parameters<typeof shopWith>[2],
) => shopWith(hub, await connectPartner(() => hub.http, credentials), device)

const payments = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...CALLBACK,
    ftCode: `FT-${n}`,
    payDate: new Date().toISOString(),
  }))

it('leads from the credentials to the first payment, and to the proof', async () => {
  const hub = await startTestHub()
  const device = await hub.device('SHOP-0001')
  const speaker = switchOn(device, hub.mqtt)
  await speaker.next('connected')
  const { client } = connect(hub.http, await hub.partner())

  const shown = await client.sendVerificationCode({ deviceSerial: device.serial })
  expect(shown.expiresIn).toBe(300)
  const verificationCode = await until('the code on the screen', speaker.code)
  const { store } = await client.registerDevice({
    ...REGISTRATION,
    ...{ deviceSerial: device.serial, verificationCode },
    staticQRCode:
      '00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7',
  })
  const bill = { storeId: store.id, billNumber: 'BILL 1/2', transactionAmount: '50000' }
  const record = await client.createDynamicQr(bill)
  expect(await client.reportPayment({ ...CALLBACK, ...bill, ftCode: 'FT 1/ă' })).toEqual(record)
  await speaker.next('played')
  const proof = await until('the proof', async () => {
    const found = await client.getTransaction('FT 1/ă')
    return found.announcements[0]?.stage === 'played' && found
  })
  expect(proof).toMatchObject({ outcome: 'bill_paid', notice: CALLBACK.notice })

  expect((await client.getDevice('SHOP-0001')).stores).toHaveLength(1)
  expect((await client.updateDeviceSettings('SHOP-0001', { volume: 30 })).desired?.volume).toBe(30)
  const changed = await client.updateStore(store.id, { storeName: 'Quán Mới' })
  expect(changed).toMatchObject({ id: store.id, storeName: 'Quán Mới', totalAmount: '50000' })
  const locked = await client.updateDevicesStatus({ devices: [{ deviceSerial: 'SHOP-0001', active: false }] })
  expect(locked).toMatchObject({ successCount: 1, failedDevices: [] })
  const csv = await client.searchPaymentsCsv({ storeId: store.id })
  expect(csv.trimEnd().split('\r\n')).toHaveLength(3)
  expect((await client.unregisterDevice({ deviceSerial: 'SHOP-0001' })).stores).toEqual([])
  await expect(client.getTransaction('none')).rejects.toMatchObject({ code: 40403 })
})

it('goes through lists that have several pages', async () => {
  const { hub, credentials } = await shop()
  const { client, attempts } = connect(hub.http, credentials)
  const all = payments(7)
  await Promise.all(all.map((payment) => client.reportPayment(payment)))
  const found: string[] = []
  for await (const { ftCode } of client.payments({ limit: 3 })) found.push(ftCode)
  expect(found.sort()).toEqual(all.map(({ ftCode }) => ftCode).sort())
  expect(attempts.filter(({ operation }) => operation === 'searchPayments')).toHaveLength(3)
  for await (const day of client.dayByStore()) expect(day).toMatchObject({ count: 7, amount: '350000' })
})

it('gets another token when its own expires, and when it is revoked', async () => {
  let shiftMs = 0
  const clock = { ...systemClock, now: () => systemClock.now() + shiftMs }
  const { hub, credentials } = await shop({ clock, env: { HUB_ANONYMOUS_PER_SECOND: '4' } })
  const refreshTokens: string[] = []
  const { client, codes } = connect(hub.http, credentials, {
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (String(input).includes('/auth/'))
        refreshTokens.push(Object(await response.clone().json()).refreshToken)
      return response
    },
  })
  const [first, last, ...others] = payments(202)
  if (!first || !last) throw new Error('there are more')
  await client.reportPayment(first)
  shiftMs = 2 * 3_600_000
  // A token that is dead counts as none: these are more than the hub takes from one address.
  await Promise.all(others.map((payment) => client.reportPayment(payment)))
  expect(new Set(codes())).toEqual(new Set([40102, 42900]))
  const dead = codes().length

  // A refresh token that is used again later revokes all tokens of its login.
  shiftMs += 120_000
  const [stolen = ''] = refreshTokens
  await expect(client.refreshAccessToken({ refreshToken: stolen })).rejects.toMatchObject({ code: 40107 })
  await client.reportPayment(last)
  expect(codes().slice(dead)).toEqual([40107, 40101, 40107])
  expect((await client.listStores()).data[0]).toMatchObject({ totalTransaction: '202' })
})

it('waits as a hub with a low limit asks it to, and loses nothing', async () => {
  const { hub, credentials } = await shop({ env: { HUB_RATE_PER_SECOND: '20', HUB_RATE_BURST: '20' } })
  const { client, codes } = connect(hub.http, credentials)
  const answers = await Promise.all(Array.from({ length: 60 }, () => client.listStores()))
  expect(answers.every(({ data }) => data.length === 1)).toBe(true)
  expect(new Set(codes())).toEqual(new Set([42900]))
})

it('reports every payment once to a hub that is killed in the middle, and its events go on', async () => {
  const dataDir = temporaryFolder()
  const hub = await startOwnHub({ dataDir, masterKey: TEST_MASTER_KEY })
  onTestFinished(() => hub.stop())
  const { partner, device } = await minted({ HUB_DATA_DIR: dataDir })
  await openShop(hub, partner, device)
  const { client, attempts } = connect(hub.http, partner)

  const seen: string[] = []
  const watched = (async () => {
    for await (const event of client.events({ types: ['payment.recorded'] })) {
      if (event.type === 'payment.recorded') seen.push(event.data.ftCode)
      if (seen.length === 40) return
    }
  })()
  const all = payments(40)
  const report = (part: typeof all) => Promise.all(part.map((payment) => client.reportPayment(payment)))
  await report(all.slice(0, 10))
  await until('the first events', () => seen.length === 10)
  const others = report(all.slice(10, 30))
  await hub.kill()
  const late = report(all.slice(30))
  await until('a payment that the hub did not answer', () =>
    attempts.some(({ status }) => status === undefined),
  )
  await hub.start()
  await Promise.all([others, late, watched])

  expect(seen.toSorted()).toEqual(all.map(({ ftCode }) => ftCode).toSorted())
  const { data } = await client.listStores()
  expect(data[0]).toMatchObject({ totalTransaction: '40', totalAmount: '2000000' })
})

it('verifies what the hub delivers, also while the secret is replaced', async () => {
  const { hub, credentials } = await shop({ env: { HUB_WEBHOOK_ALLOW: '127.0.0.1/32' } })
  const { client } = connect(hub.http, credentials)
  const receiver = await startReceiver()
  const webhook = await client.createWebhook({ url: receiver.url, types: ['payment.recorded'] })
  await client.reportPayment(CALLBACK)
  const [first] = await until('a delivery', () => receiver.received.length === 1 && receiver.received)
  if (!first) throw new Error('there is one')
  const event = await verifyWebhook(first.headers, first.body, webhook.secret)
  expect(event.type === 'payment.recorded' && event.data.ftCode).toBe(CALLBACK.ftCode)
  const forged = first.body.replace('50000', '90000')
  await expect(verifyWebhook(first.headers, forged, webhook.secret)).rejects.toThrow('no signature')

  const { secret } = await client.rotateWebhookSecret(webhook.id)
  const { eventId } = await client.testWebhook(webhook.id)
  const second = await until('the next delivery', () => receiver.received[1])
  for (const one of [webhook.secret, secret])
    expect(await verifyWebhook(second.headers, second.body, one)).toMatchObject({ id: eventId })
  const delivered = await until('both are delivered', async () => {
    const rows: string[] = []
    for await (const { state } of client.deliveries(webhook.id)) rows.push(state)
    return rows.every((state) => state === 'delivered') && rows
  })
  expect(delivered).toHaveLength(2)
  await client.deleteWebhook(webhook.id)
  expect((await client.listWebhooks()).data).toEqual([])
})
