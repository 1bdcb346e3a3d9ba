import { expect, it } from 'vitest'
import { devicesPage } from '../../../server/console/pages/devices.ts'
import type { PageVisit } from '../../../server/console/parts/visit.ts'
import { OPERATOR } from '../../support/actors.ts'
import { startTestHub } from '../../support/hub.ts'
import { bornWith, createShop, ownerOf, payWell } from '../storage/shop.ts'
import { logIn } from './person.ts'

const HOUR_MS = 60 * 60_000
const HOSTILE = `<img src=x onerror=alert(1)>"'&=HYPERLINK("http://x")`

/** A hub with two speakers of a shop, one of them connected, and one that was never connected. */
async function town() {
  const hub = await startTestHub()
  const { storage } = hub
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const one = await shop.speaker(clientId, 'T-1')
  const two = await shop.speaker(clientId, 'T-2')
  const free = await shop.device('FREE-1')
  const now = Date.now()
  const born = { model: HOSTILE, firmware: `</td>${HOSTILE}` }
  await storage.outbox.begin(ownerOf(one.deviceId), now, { born: bornWith(born) })
  await storage.outbox.begin(ownerOf(two.deviceId), now - 4 * HOUR_MS, { born: bornWith() })
  await storage.health.record([
    { deviceId: one.deviceId, report: { battery: 80, signal: -71, volume: 70, queue: 0, at: now } },
    { deviceId: two.deviceId, report: { battery: 12, at: now - 3 * HOUR_MS } },
    { deviceId: two.deviceId, leftAt: now - 3 * HOUR_MS },
  ])
  const last = (action: string) => storage.audit.list({ action, limit: 1 })
  return { hub, storage, shop, clientId, one, two, free, now, last }
}

const serialsOf = (text: string) =>
  [...text.matchAll(/href="\/devices\/([^"/]+)"/g)].map(([, serial]) => serial)
/** The lines of a file without its head and its count. */
const linesOf = (text: string) => text.trim().split('\r\n').slice(1, -1)

it('lists devices by each filter, and says never of what was never reported', async () => {
  const { hub, one, two, free } = await town()
  const viewer = await logIn(hub, 'viewer')
  const look = async (query: string) => serialsOf((await viewer.get(`/devices?${query}`)).text)
  expect(await look('')).toEqual([free, two, one].map(({ serial }) => serial))
  expect(await look('state=online')).toEqual([one.serial])
  expect(await look('state=offline')).toEqual([free.serial, two.serial])
  expect(await look('state=free')).toEqual([free.serial])
  expect(await look('state=revoked')).toEqual([])
  expect(await look('serial=FREE')).toEqual([free.serial])
  expect(await look('serial=free')).toEqual([])
  expect(await look('serial=%25%00')).toEqual([])
  expect(await look('battery=12')).toEqual([two.serial])
  expect(await look('battery=11')).toEqual([])
  expect(await look('silence=2h')).toEqual([two.serial])
  expect(await look('silence=5h')).toEqual([])
  expect(await look(`serial=${two.serial}&battery=100&state=offline`)).toEqual([two.serial])
  expect((await viewer.get(`/devices/${two.serial}`)).text).toContain('12 %</span> <small>3 h ago</small>')
  const { text } = await viewer.get('/devices')
  expect(text).toContain('<span class="bad">12 %</span>')
  expect(text).toMatch(/3 h ago <small><time/)
  expect(text).toMatch(/FREE-1[\s\S]*?never[\s\S]*?never[\s\S]*?never[\s\S]*?never/)
  expect((await (await logIn(hub, 'viewer', { lang: 'vi' })).get('/devices')).text).toContain('chưa bao giờ')
})

it.each(['battery=101', 'battery=x', 'silence=soon', 'state=asleep'])(
  'refuses a filter: %s',
  async (query) => {
    const { hub } = await town()
    const { status, text } = await (await logIn(hub, 'viewer')).get(`/devices?${query}`)
    expect([status, text.includes(query.split('=')[0] ?? '')]).toEqual([400, true])
  },
)

it('gives the rows of a list as a file, page by page', async () => {
  const { hub, shop } = await town()
  for (let n = 0; n < 60; n += 1) await shop.device(`MANY-${100 + n}`)
  const viewer = await logIn(hub, 'viewer')
  for (const query of ['', 'serial=MANY']) {
    const { text } = await viewer.get(`/devices?${query}`)
    const file = (await viewer.get(`/devices?${query}&as=csv`)).text
    expect(serialsOf(text)).toHaveLength(50)
    expect(linesOf(file).map((line) => line.split(',')[0])).toEqual(serialsOf(text))
    const next = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const rest = serialsOf((await viewer.get(next)).text)
    expect(rest).toHaveLength(query === '' ? 13 : 10)
    expect(rest).not.toContain(serialsOf(text).at(-1))
  }
})

it('does not look through all devices for one page, and says that there are more', async () => {
  let looks = 0
  // Windows without a match, for ever.
  const page = () => Promise.resolve({ rows: [], next: String(1_000_000 - looks++) })
  const c = { req: { query: (name: string) => (name === 'silence' ? '60d' : undefined) } }
  const visit = {
    c,
    lang: 'en',
    now: Date.now(),
    who: { id: 'one' },
    storage: { lists: { devices: { page } } },
  }
  const answer = await devicesPage[0]?.answer(visit as unknown as PageVisit)
  const text = answer && 'body' in answer ? String(await answer.body) : ''
  expect(text).toContain('Not all devices were looked at yet')
  expect(text).toContain(`silence=60d&amp;after=${1_000_001 - looks}`)
})

it('shows the words of a device as text alone, and no spreadsheet takes them for a formula', async () => {
  const { hub, one } = await town()
  const viewer = await logIn(hub, 'viewer')
  for (const path of ['/devices', `/devices/${one.serial}`]) {
    const { text } = await viewer.get(path)
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(text).not.toContain('<img src=x')
  }
  const file = (await viewer.get('/devices?as=csv')).text
  expect(file).not.toMatch(/(^|,)"?[=@]/m)
})

it('says first why a device is silent, in both languages, and shows what happened', async () => {
  const { hub, shop, clientId, two, now } = await town()
  await payWell(shop, clientId, { terminalID: 'T-2', amount: '123000', receivedAt: now - 2 * HOUR_MS })
  const waiting = (await (await logIn(hub, 'viewer')).get(`/devices/${two.serial}`)).text
  expect(waiting).toContain('<dt>Announcements</dt><dd>1</dd>')
  await hub.storage.outbox.expire(now)
  const english = (await (await logIn(hub, 'viewer')).get(`/devices/${two.serial}`)).text
  const why = english.indexOf('Why it is silent')
  expect(why).toBeGreaterThan(0)
  expect(english.indexOf('<h2')).toBeLessThan(why)
  expect(english.indexOf('<h2')).toBeGreaterThan(why - 20)
  expect(english).toContain('It has been offline since')
  expect(english).toContain('battery was 12 %')
  expect(english).toContain('expired unsent, because it was away')
  expect(english).not.toContain('<dt>Announcements</dt>')
  expect(english).toMatch(/Announcement 123\.000 đ<\/strong>[\s\S]*T-2 <small>queued › missed/)
  expect(english).toMatch(/device\.register[\s\S]*Created/)
  // No personal data of the shop.
  for (const secret of ['0912345678', 'NGUYEN THI HA', '001099012345', '0001234567', 'Thanh toan'])
    expect(english).not.toContain(secret)
  const vietnamese = (await (await logIn(hub, 'viewer', { lang: 'vi' })).get(`/devices/${two.serial}`)).text
  expect(vietnamese).toContain('Vì sao loa im lặng')
  expect(vietnamese).toContain('Loa mất kết nối từ')
  expect((await (await logIn(hub, 'viewer')).get('/devices/NOBODY-1')).status).toBe(404)
})

it('shows the keys and the firmware that wait, and what a device says of them', async () => {
  const { hub, storage, one, now } = await town()
  const offer = { fw: `2.0${HOSTILE}`, url: 'https://x.example/fw', size: 1, sha256: 'x' }
  const key = { key: Buffer.alloc(32, 1), loginHash: Buffer.alloc(32, 2) }
  await storage.maintenance.offer(OPERATOR, one.serial, offer, now)
  await storage.maintenance.rotate(OPERATOR, one.serial, key, now)
  await storage.health.record([
    { deviceId: one.deviceId, update: { fw: '2.0', state: 'downloading', percent: 40, at: now } },
    {
      deviceId: one.deviceId,
      report: { battery: 40, charging: true, at: now },
      runtime: { reset: `fault${HOSTILE}`, uptime: 60, crashes: 3, modem: 'no carrier', at: now },
    },
  ])
  const { text } = await (await logIn(hub, 'viewer')).get(`/devices/${one.serial}`)
  expect(text).toContain('missing in its capabilities: rekey')
  expect(text).not.toContain('<dt>Announcements</dt>')
  expect(text).toContain('2.0 downloading 40 %')
  expect(text).toContain('2.0&lt;img')
  expect(text).toContain('fault&lt;img')
  expect(text).toContain('40 %, charging')
  expect(text).toContain('<span class="bad">3</span>')
  expect(text).toContain('no carrier')
  expect(text).not.toContain('<img src=x')
  expect(text).not.toContain(key.key.toString('base64url'))
})

it('locks, unlocks and sets a device, each with an audit row by the person', async () => {
  const { hub, storage, one, last } = await town()
  const path = `/devices/${one.serial}`
  const operator = await logIn(hub, 'operator')
  expect((await operator.change(`${path}/lock`)).text).toContain('The device is locked.')
  expect(await last('device.lock')).toMatchObject([
    { actor: 'operator Minh', actorKind: 'operator', subject: one.serial, details: { via: 'console' } },
  ])
  expect(serialsOf((await operator.get('/devices?state=locked')).text)).toEqual([one.serial])
  const unlocked = await operator.change(`${path}/unlock`)
  expect(unlocked.text).toContain('The device is unlocked.')
  expect(await last('device.unlock')).toMatchObject([{ actor: 'operator Minh', details: { via: 'console' } }])

  const set = await operator.change(`${path}/settings`, { volume: '35', lang: 'vi' })
  expect(set.text).toContain('The settings are stored.')
  expect(set.text).toContain('35 %, Vietnamese')
  expect(await last('device.settings')).toMatchObject([
    { actor: 'operator Minh', subject: one.serial, details: { via: 'console' } },
  ])
  expect((await storage.settings.find(OPERATOR, one.serial))?.desired).toMatchObject({
    volume: 35,
    lang: 'vi',
  })
  for (const wrong of [{ volume: '101' }, { volume: 'loud' }, { lang: 'fr' }, {}])
    expect([wrong, (await operator.post(`${path}/settings`, wrong)).status]).toEqual([wrong, 400])
  expect((await operator.post('/devices/NOBODY-1/lock')).status).toBe(404)
  expect((await operator.post('/devices/NOBODY-1/settings', { volume: '1' })).status).toBe(404)
})

it('asks a device to beep, and says when it does not answer', async () => {
  const { hub, storage, one, last } = await town()
  const operator = await logIn(hub, 'operator')
  const asked = await operator.post(`/devices/${one.serial}/identify`)
  expect(asked.location).toMatch(/\?asked=\d+$/)
  expect(await last('device.identify')).toMatchObject([
    { actor: 'operator Minh', subject: one.serial, details: { via: 'console' } },
  ])
  const waiting = await operator.get(asked.location ?? '')
  expect([waiting.headers.get('refresh'), waiting.text.includes('is asked to beep')]).toEqual(['1', true])
  const later = await operator.get(`/devices/${one.serial}?asked=${Date.now() - 11_000}`)
  expect([later.headers.get('refresh'), later.text.includes('did not answer')]).toEqual([null, true])
  await storage.devices.recordIdentified(one.deviceId, Date.now())
  const done = await operator.get(asked.location ?? '')
  expect([done.headers.get('refresh'), done.text.includes('has beeped and flashed')]).toEqual([null, true])
  expect((await operator.post('/devices/NOBODY-1/identify')).status).toBe(404)
})

it('asks before it revokes a device, which only an admin may do', async () => {
  const { hub, one, last } = await town()
  const path = `/devices/${one.serial}`
  const admin = await logIn(hub, 'admin')
  expect((await admin.get(path)).text).toContain(`href="${path}/revoke"`)
  const question = (await admin.get(`${path}/revoke`)).text
  expect(question).toContain('This can not be undone')
  expect(await last('device.revoke')).toEqual([])
  expect((await admin.change(`${path}/revoke`)).text).toContain('The device is revoked.')
  expect(await last('device.revoke')).toMatchObject([
    { actor: 'admin Minh', subject: one.serial, details: { via: 'console' } },
  ])
  const { text } = await admin.get(path)
  expect(text).toContain('It was revoked at')
  expect(text).not.toContain(`action="${path}/lock"`)
  expect(serialsOf((await admin.get('/devices?state=revoked')).text)).toEqual([one.serial])
  expect((await admin.post(`${path}/identify`)).status).toBe(404)
})

it('lets each role do what it may, and shows no more', async () => {
  const { hub, storage, one } = await town()
  const path = `/devices/${one.serial}`
  const [viewer, operator] = [await logIn(hub, 'viewer'), await logIn(hub, 'operator')]
  expect((await viewer.get(path)).text).not.toContain(`action="${path}`)
  expect((await operator.get(path)).text).not.toContain(`${path}/revoke`)
  const before = await storage.audit.list({ subject: one.serial, limit: 100 })
  for (const change of ['identify', 'settings', 'lock', 'unlock', 'revoke'])
    expect([change, (await viewer.post(`${path}/${change}`, { volume: '1' })).status]).toEqual([change, 403])
  expect((await operator.post(`${path}/revoke`)).status).toBe(403)
  for (const admins of [`${path}/revoke`, '/sessions'])
    expect([admins, (await operator.get(admins)).status]).toEqual([admins, 403])
  expect(await storage.audit.list({ subject: one.serial, limit: 100 })).toEqual(before)
})
