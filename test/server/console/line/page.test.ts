import { expect, it } from 'vitest'
import { MOST_STREAMS } from '../../../../server/console/live/watch.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { startTestHub } from '../../../support/hub.ts'
import { eventually } from '../../../support/wait.ts'
import { AT, bornWith, createShop, ownerOf, payWell } from '../../storage/shop.ts'
import { hear, sessionsOf, viewerOf } from './viewer.ts'

const HOSTILE = `<img src=x onerror=alert(1)>"'&`

async function lineOf(lang = 'en') {
  const hub = await startTestHub()
  const shop = createShop(hub.storage)
  const clientId = await shop.partner()
  const get = await viewerOf(hub, { lang })
  /** On a loaded machine a first count may take longer than the page waits for it. */
  const page = () =>
    eventually(async () => {
      const text = await (await get('/')).text()
      expect(text).not.toMatch(/Counting|Đang đếm/)
      return text
    })
  return { hub, shop, clientId, get, page, storage: hub.storage }
}

it('shows nothing to a stranger, page and stream alike', async () => {
  const { admin } = await startTestHub()
  for (const path of ['/', '/line/live']) {
    const answer = await fetch(`${admin}${path}`)
    expect([path, answer.status, (await answer.text()).includes('line-state')]).toEqual([path, 401, false])
  }
})

it('is calm without payments, and says of what time it is', async () => {
  const { page } = await lineOf()
  const text = await page()
  expect(text).toContain('<h1>Line</h1>')
  expect(text).toContain('No payment yet.')
  expect(text).toContain('Nothing is wrong.')
  expect(text).toMatch(
    /As of<\/span>.*<time datetime="[^"]+">\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d<\/time>/s,
  )
  expect(text).toContain('<a href="/">Load it again</a>')
  expect(text).toContain('<a href="/" aria-current="page">Line</a>')
})

it('shows the newest payments with their shops, amounts and stages, and no personal data', async () => {
  const { shop, clientId, page, storage } = await lineOf()
  const one = await shop.speaker(clientId, 'T1')
  const two = await shop.speaker(clientId, 'T2')
  await storage.devices.setActive(OPERATOR, two.serial, false, Date.now())
  const receivedAt = Date.now() - 3_000
  await payWell(shop, clientId, { ftCode: 'FT1', amount: '216000', receivedAt, notice: 'Canary 0987654321' })
  const [asked] = await storage.outbox.open(one.deviceId, receivedAt)
  const step = { announcementId: asked?.id ?? '', commandNumber: asked?.n ?? 0, deviceId: one.deviceId }
  await storage.outbox.recordAck({ ...step, stage: 'received', reason: undefined }, receivedAt + 40)
  await storage.outbox.recordAck({ ...step, stage: 'failed', reason: 'no_clip' }, receivedAt + 2_100)
  await payWell(shop, clientId, { ftCode: 'FT2', terminalID: 'T2', amount: '1000' })

  const text = await page()
  expect(text).toContain('Phở Hà')
  expect(text).toMatch(/>216\.000 đ</)
  expect(text).not.toContain('Canary')
  expect(text).not.toContain('0987654321')
  const tracks = [...text.matchAll(/<ol class="track (\w+)".*?<\/ol>/gs)]
  expect(tracks.map(([, stage]) => stage)).toEqual(['suppressed', 'failed'])
  const steps = [...(tracks[1]?.[0] ?? '').matchAll(/<li class="lit (\w+)"/g)]
  expect(steps.map(([, step]) => step)).toEqual(['queued', 'received', 'failed'])
  expect(tracks[1]?.[0]).toContain('<small>2.1 s</small>')
  expect(tracks[1]?.[0]).toContain('<code>no_clip</code>')
  expect(text).toMatch(/href="\/payments\?stage=failed">1</)
})

it('shows texts of partners as text alone, also in the stream', async () => {
  const { shop, clientId, page, get, storage } = await lineOf()
  const device = await shop.device()
  await shop.issue(clientId, device)
  const store = { terminalID: 'T1', phoneNumber: '0912345678', storeName: HOSTILE }
  await storage.devices.register(
    byPartner(clientId),
    shop.registration(clientId, device.serial, { store }),
    AT,
  )
  await payWell(shop, clientId, { ftCode: 'FT1' })
  const text = await page()
  const live = hear((await get('/line/live')).body)
  const [row] = await eventually(() => {
    expect(live.messages).not.toEqual([])
    return live.messages[0]?.rows ?? []
  })
  // The stream has the row as the page has it, but for its age.
  const ageless = (html: string) => html.replace(/(<b data-age="\d+">)[^<]*/g, '$1')
  expect(ageless(text)).toContain(ageless(row?.[1] ?? 'none'))
  expect(text).not.toContain(HOSTILE)
  expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
})

it('links what is wrong now to the list of it', async () => {
  const { shop, clientId, page, storage } = await lineOf()
  const speaker = await shop.speaker(clientId, 'T1')
  await shop.speaker(clientId, 'T2')
  const longAgo = Date.now() - 30 * 60 * 60_000
  await storage.outbox.begin(ownerOf(speaker.deviceId), longAgo, { born: bornWith() })
  await storage.health.record([{ deviceId: speaker.deviceId, report: { battery: 12, at: longAgo } }])
  const text = await page()
  expect(text).toContain('<a href="/devices?state=offline">2 speakers offline</a>')
  expect(text).toContain('<a href="/devices?silence=24h">1 speaker silent for a day</a>')
  expect(text).toContain('<a href="/devices?battery=15">1 speaker with a low battery</a>')
  expect(text).not.toContain('Nothing is wrong.')
})

it('is in Vietnamese, too, with the same stream', async () => {
  const { shop, clientId, page, get } = await lineOf('vi')
  await shop.speaker(clientId, 'T1')
  await payWell(shop, clientId, { ftCode: 'FT1' })
  const text = await page()
  expect(text).toContain('<h1>Trực tiếp</h1>')
  expect(text).toContain('loa đã nhận')
  const live = hear((await get('/line/live')).body)
  await eventually(() => expect(live.messages[0]?.rows[0]?.[1]).toContain('loa đã nhận'))
})

it('streams to twenty; one more is asked to come again, and a look at the head takes no place', async () => {
  const { get } = await lineOf()
  for (let n = 0; n < 3; n += 1) expect((await get('/line/live', { method: 'HEAD' })).status).toBe(200)
  const open = await Promise.all(Array.from({ length: MOST_STREAMS }, () => get('/line/live')))
  expect(open.map(({ status }) => status)).toEqual(Array(MOST_STREAMS).fill(200))
  expect(open[0]?.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(open[0]?.headers.get('cache-control')).toBe('no-store')
  const refused = await get('/line/live')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30'])
  await open[0]?.body?.cancel()
  await eventually(async () => expect((await get('/line/live')).status).toBe(200))
})

it('ends at the logout, and does not hold up the stop of the hub', async () => {
  const { hub, get, storage } = await lineOf()
  const other = await viewerOf(hub)
  const [mine, theirs] = [hear((await get('/line/live')).body), hear((await other('/line/live')).body)]
  await eventually(() => expect(theirs.messages).toHaveLength(1))
  await get('/logout', { method: 'POST' })
  await eventually(() => expect(mine.isOver).toBe(true))
  expect(mine.events).toEqual(['end session'])
  expect((await sessionsOf(storage).listSessions()).length).toBe(1)
  const before = performance.now()
  await hub.stop()
  expect(performance.now() - before).toBeLessThan(5_000)
  await eventually(() => expect([theirs.events, theirs.isOver]).toEqual([['end hub'], true]))
})
