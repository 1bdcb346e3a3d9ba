import { expect, it } from 'vitest'
import { HUB } from '../../../server/security/actor.ts'
import { startTestHub } from '../../support/hub.ts'
import { createShop, payWell } from '../storage/shop.ts'
import { logIn } from './person.ts'

it('ends the session of a person, who is then asked to log in', async () => {
  const hub = await startTestHub()
  const [viewer, admin] = [await logIn(hub, 'viewer', { name: '<b>Hoa</b>' }), await logIn(hub, 'admin')]
  const { text } = await admin.get('/sessions')
  expect(text).toContain('&lt;b&gt;Hoa&lt;/b&gt;')
  const hoa = (await hub.storage.operators.sessions(Date.now())).find(({ role }) => role === 'viewer')
  expect((await viewer.get('/audit')).status).toBe(200)
  expect((await viewer.post('/sessions/end', { id: hoa?.id ?? '' })).status).toBe(403)
  const ended = await admin.change('/sessions/end', { id: hoa?.id ?? '' })
  expect(ended.text).toContain('The session is ended.')
  expect(ended.text).not.toContain('Hoa')
  expect((await viewer.get('/audit')).status).toBe(401)
  expect(await hub.storage.audit.list({ action: 'console.logout', limit: 9 })).toMatchObject([
    { actor: 'admin Minh', subject: '<b>Hoa</b>', details: { via: 'console' } },
  ])
  // It is over already.
  expect((await admin.post('/sessions/end', { id: hoa?.id ?? '' })).status).toBe(303)
  expect(await hub.storage.audit.list({ action: 'console.logout', limit: 9 })).toHaveLength(1)
})

it('says why retention waits for the clock, and lets an admin confirm it', async () => {
  const hub = await startTestHub()
  const { storage } = hub
  const [viewer, admin] = [await logIn(hub, 'viewer'), await logIn(hub, 'admin')]
  expect((await viewer.get('/clock')).text).toContain('Retention goes by the clock')
  const doubt = { why: 'jumped', jumpMs: 3 * 60 * 60_000, confirmedUpTo: 0 }
  await storage.retention.noteClock(HUB, 'clock.doubt', Date.now(), doubt)
  const { text } = await viewer.get('/clock')
  expect(text).toContain('Retention waits')
  expect(text).toContain('The clock was set forward by 3 h.')
  expect(text).not.toContain('action="/clock/confirm"')
  expect((await viewer.post('/clock/confirm')).status).toBe(403)
  const vi = await logIn(hub, 'viewer', { lang: 'vi' })
  expect((await vi.get('/clock')).text).toContain('Đồng hồ đã bị chỉnh tới 3 giờ.')
  expect((await admin.get('/clock')).text).toContain('action="/clock/confirm"')
  const confirmed = await admin.change('/clock/confirm')
  expect(confirmed.text).toContain('The clock is confirmed.')
  expect(confirmed.text).toContain('Retention goes by the clock')
  expect(await storage.audit.list({ action: 'clock.', limit: 1 })).toMatchObject([
    { action: 'clock.confirm', actor: 'admin Minh', details: { via: 'console' } },
  ])
})

it('offers to confirm a clock that is behind the newest payment, once', async () => {
  const hub = await startTestHub()
  const shop = createShop(hub.storage)
  const clientId = await shop.partner()
  await shop.speaker(clientId, 'T1')
  await payWell(shop, clientId, { receivedAt: Date.now() + 30 * 60_000 })
  const admin = await logIn(hub, 'admin')
  expect((await admin.get('/clock')).text).toContain('The clock is behind the newest payment')
  expect((await admin.change('/clock/confirm')).text).not.toContain('The clock is behind')
})
