import Database from 'better-sqlite3'
import { STATIC_QR } from '../../../protocol/vietqr/samples.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestApi, stringAt, type TestApi, type TestPartner } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'
import type { DeviceDouble } from '../../../support/mqtt/device-double.ts'

/** Names and secrets that requests can be made of; answers add to them. */
export interface Pools {
  serial: string[]
  storeId: string[]
  terminalID: string[]
  billNumber: string[]
  ftCode: string[]
  refreshToken: string[]
  accessToken: string[]
  clientId: string[]
  clientSecret: string[]
  webhookId: string[]
  eventId: string[]
}
export type PoolName = keyof Pools

/** What the last requests have brought goes before what is older. */
const POOL_SIZE = 24

/** A hub with two partners, and devices of every kind, in the middle of its life. */
export interface World {
  api: TestApi
  /** The first owns most; the second is a stranger to it with the same terminalID. */
  partners: readonly [TestPartner, TestPartner]
  devices: readonly DeviceDouble[]
  pools: Pools
  remember(pool: PoolName, value: unknown): void
  /** Changes with every commit, and with every command that a device has heard. */
  look(): { database: number; heard: number }
  close(): Promise<void>
}

export async function createWorld(): Promise<World> {
  const closers: (() => void | Promise<void>)[] = []
  const api = createTestApi({ onEnd: (close) => closers.push(close) })
  const stale = await api.partner('Stale')
  const expired = stale.token
  await api.clock.wind(61 * 60_000)
  const [first, second, disabled] = [await api.partner('A'), await api.partner('B'), await api.partner('C')]
  await api.storage.partners.disable(OPERATOR, disabled.clientId, api.clock.now())
  const devices = await createDevices(api)
  const stores = await furnish(devices, first, second)
  const refreshTokens = await refreshed(api, first)
  const webhooks = await subscribed(first, first, second)

  const other = new Database(api.file, { readonly: true })
  closers.push(() => void other.close())
  const version = other.prepare('PRAGMA data_version').pluck()
  const pools: Pools = {
    serial: [...devices.map(({ serial }) => serial), 'SB-NONE', '__proto__'],
    storeId: [...stores, '00000000-0000-7000-8000-000000000000'],
    terminalID: ['T-01', 'T-02', 'T-03', 'T-NONE'],
    billNumber: ['HD-OPEN', 'HD-PAID', 'HD-NEW', ''],
    ftCode: ['FT-PAID', 'FT-1', 'FT-2', 'FT-3', ''],
    refreshToken: refreshTokens,
    accessToken: [first.token, first.token, second.token, disabled.token, expired, 'sba_unknown'],
    clientId: [first.clientId, second.clientId, disabled.clientId, 'sbc_unknown'],
    ...webhooks,
    clientSecret: [first.clientSecret, second.clientSecret, disabled.clientSecret, 'sbs_wrong'],
  }
  return {
    api,
    partners: [first, second],
    devices,
    pools,
    remember(pool, value) {
      if (typeof value !== 'string' || pools[pool].includes(value)) return
      // Requests delete webhooks, so the newest goes first.
      if (pool === 'webhookId') pools[pool].unshift(value)
      else pools[pool].push(value)
      // What the world began with stays: it is what most requests are about.
      if (pools[pool].length > POOL_SIZE) pools[pool].splice(POOL_SIZE / 2, 1)
    },
    look: () => ({
      database: Number(version.get()),
      heard: devices.reduce((sum, device) => sum + device.heard.length, 0),
    }),
    async close() {
      for (const close of closers.reverse()) await close()
    },
  }
}

/** One that obeys and is to be registered for each partner, a free one, an offline one, a silent one, a broken one. */
async function createDevices(api: TestApi): Promise<DeviceDouble[]> {
  const devices: DeviceDouble[] = []
  for (const serial of ['SB-0001', 'SB-0002', 'SB-0003', 'SB-0004', 'SB-0005', 'SB-0006'])
    devices.push(await api.device(serial, { connected: serial !== 'SB-0004' }))
  return devices
}

async function furnish(
  [mine, theirs, , , silent, broken]: DeviceDouble[],
  first: TestPartner,
  second: TestPartner,
): Promise<string[]> {
  if (!mine || !theirs || !silent || !broken) throw new Error('a device is missing')
  const registered = [
    await first.register(mine, { staticQRCode: STATIC_QR }),
    await second.register(theirs),
    await first.register(silent, { terminalID: 'T-02' }),
  ]
  await mine.report({ ver: 1, volume: 50, lang: 'vi' })
  silent.obeys = 'received'
  broken.obeys = 'display_failed'
  const stores = registered.map((answer) => stringAt(answer, 'store', 'id'))
  for (const billNumber of ['HD-OPEN', 'HD-PAID'])
    await first.call('POST', '/payment/dynamic-qr', {
      storeId: stores[0],
      billNumber,
      transactionAmount: '50000',
    })
  await first.pay({ billNumber: 'HD-PAID', ftCode: 'FT-PAID' })
  await settle()
  return stores
}

/** A webhook and an event of each; a partner may be named again. */
async function subscribed(...partners: TestPartner[]): Promise<Pick<Pools, 'webhookId' | 'eventId'>> {
  const pools = { webhookId: [] as string[], eventId: [] as string[] }
  for (const partner of partners) {
    const created = await partner.call('POST', '/webhook', { url: 'https://shop.example/hook' })
    pools.webhookId.push(stringAt(created, 'id'))
    pools.eventId.push(stringAt(await partner.call('GET', '/event'), 'data', 0, 'id'))
  }
  return { webhookId: [...pools.webhookId, 'wh_unknown'], eventId: [...pools.eventId, 'evt_unknown'] }
}

/** A token that was exchanged, the one that it was exchanged for, and one of a login of its own. */
async function refreshed(api: TestApi, { clientId, clientSecret }: TestPartner): Promise<string[]> {
  const logIn = async () =>
    stringAt(
      await api.request('POST', '/api/v1/partner/auth/token', { body: { clientId, clientSecret } }),
      'refreshToken',
    )
  const old = await logIn()
  const answer = await api.request('POST', '/api/v1/partner/auth/refresh', { body: { refreshToken: old } })
  return [old, stringAt(answer, 'refreshToken'), await logIn(), 'sbr_unknown']
}
