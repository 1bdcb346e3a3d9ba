import { describe, expect, it } from 'vitest'
import { deliveryOf, progressOf, secretOf, webhookOf } from '../storage/webhook-world.ts'
import { csvOf, HOSTILE, rowsOf, shopConsole } from './shop.ts'

const TOKEN = 's3cr3t-t0ken-0123456789'

async function webhookConsole() {
  const world = await shopConsole()
  const { storage, hub, clientId } = world
  const url = `https://hooks.example/soundbox/v1/${TOKEN}?key=${TOKEN}`
  await storage.webhooks.add(
    hub,
    { ...webhookOf(clientId, 'wh_1'), url, description: HOSTILE },
    secretOf('first'),
  )
  return { ...world, url }
}

describe('the webhooks of all partners', () => {
  it('are shown to a viewer without their secrets, and the file has the rows of the page', async () => {
    const { logIn, storage, hub, shop, pay } = await webhookConsole()
    const other = await shop.partner('sbc_2')
    await storage.webhooks.add(hub, webhookOf(other, 'wh_2'), secretOf('second'))
    await storage.webhooks.change(hub, 'wh_1', { state: 'disabled' }, Date.now())
    await pay()
    const viewer = await logIn('viewer')
    const page = await (await viewer.get('/webhooks')).text()
    const file = await csvOf(await viewer.get('/webhooks?as=csv'))
    expect(file.map(({ id, held, state }) => [id, held, state])).toEqual([
      ['wh_1', '1', 'disabled'],
      ['wh_2', '0', 'enabled'],
    ])
    expect(rowsOf(page).map(([, id]) => id)).toEqual(['wh_1', 'wh_2'])
    const detail = await (await viewer.get('/webhooks/wh_1')).text()
    for (const text of [page, detail, JSON.stringify(file)]) {
      expect(text).not.toContain(TOKEN)
      expect(text).not.toContain(secretOf('first'))
      expect(text).toContain('https://hooks.example/soundbox/v1/…?…')
    }
    expect(detail).not.toContain('<script>alert')
    expect(await csvOf(await viewer.get('/webhooks?as=csv&state=disabled'))).toHaveLength(1)
    expect((await viewer.get('/webhooks/wh_9')).status).toBe(404)
  })

  it('tell since when one fails, and its last failure', async () => {
    const { logIn, storage, pay, clientId } = await webhookConsole()
    const at = async () => await (await (await logIn('viewer')).get('/webhooks/wh_1')).text()
    expect(await at()).not.toContain('Failing since')
    await pay()
    const seq = (await storage.events.heads([clientId])).get(clientId) ?? 0
    const attempts = [{ at: Date.now(), ms: 12, status: 503, error: undefined, reply: 'geheim' }]
    const failed = {
      ...deliveryOf('wh_1', seq),
      state: 'pending' as const,
      nextAt: Date.now() + 60_000,
      attempts,
    }
    await storage.webhookQueue.store(
      [progressOf('wh_1', { deliveries: [failed], failingSince: Date.now(), probeAt: Date.now() + 60_000 })],
      Date.now(),
    )
    const page = await (await (await logIn('viewer')).get('/webhooks')).text()
    expect(page).toContain('failing')
    expect(page).toContain('<code>503</code>')
    expect(page).toContain('open, next try')
    expect(page).not.toContain('geheim')
    expect(await at()).toContain('Failing since')
  })
})

describe('a change of a webhook', () => {
  it('is refused to a viewer, and changes nothing', async () => {
    const { logIn, storage, noted } = await webhookConsole()
    const viewer = await logIn('viewer')
    const page = await (await viewer.get('/webhooks/wh_1')).text()
    expect(page).not.toContain('action="/webhooks/wh_1/replay"')
    for (const path of ['replay', 'enable'])
      expect((await viewer.post(`/webhooks/wh_1/${path}`, { since: '1h' })).status).toBe(403)
    expect((await viewer.get('/webhooks/wh_1/replay?since=1h')).status).toBe(403)
    expect(await noted('webhook.replay')).toEqual([])
    expect((await storage.webhooks.backlog('wh_1'))?.replay).toBeUndefined()
  })

  it('replays one event, with an audit row of the person', async () => {
    const { logIn, storage, pay, noted, clientId } = await webhookConsole()
    await pay()
    const { events } = await storage.events.page(clientId, { after: 0, limit: 100 })
    const eventId = events.at(-1)?.id ?? ''
    const operator = await logIn('operator', 'minh')
    const answer = await operator.post('/webhooks/wh_1/replay', { eventId })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/webhooks/wh_1?done=replayed&count=1',
    ])
    const told = { actor: 'minh', actorKind: 'operator', subject: 'wh_1' }
    expect(await noted('webhook.replay')).toEqual([{ ...told, details: { via: 'console', event: eventId } }])
    const done = await (await operator.get('/webhooks/wh_1?done=replayed&count=1')).text()
    expect(done).toContain('Events that are sent again: 1')
    expect((await operator.post('/webhooks/wh_1/replay', { eventId: 'evt_none' })).status).toBe(404)
    expect((await operator.post('/webhooks/wh_1/replay', { since: HOSTILE })).status).toBe(400)
    expect(await noted('webhook.replay')).toHaveLength(1)
  })

  it('asks before it replays all events since a time', async () => {
    const { logIn, storage, pay, noted } = await webhookConsole()
    for (let n = 0; n < 3; n += 1) await pay({ ftCode: `FT${n}` })
    const operator = await logIn('operator', 'minh')
    const sure = await (await operator.get('/webhooks/wh_1/replay?since=1h')).text()
    expect(sure).toContain('Send these events again?')
    expect(await noted('webhook.replay')).toEqual([])
    const [, since = ''] = /name="since" value="([^"]*)"/.exec(sure) ?? []
    const answer = await operator.post('/webhooks/wh_1/replay', { since, until: '' })
    const [, count = ''] = /count=(\d+)/.exec(answer.headers.get('location') ?? '') ?? []
    expect(Number(count)).toBeGreaterThanOrEqual(3)
    expect(await noted('webhook.replay')).toMatchObject([
      { actor: 'minh', subject: 'wh_1', details: { via: 'console', count: Number(count) } },
    ])
    expect((await storage.webhooks.backlog('wh_1'))?.replay).toBeDefined()
  })

  it('enables one that the hub has disabled', async () => {
    const { logIn, storage, noted } = await webhookConsole()
    await storage.webhookQueue.store(
      [progressOf('wh_1', { deliveries: [deliveryOf('wh_1', 1)], disabled: 'gone' })],
      Date.now(),
    )
    const operator = await logIn('operator', 'minh')
    expect(await (await operator.get('/webhooks/wh_1')).text()).toContain('its endpoint answered 410')
    const answer = await operator.post('/webhooks/wh_1/enable')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/webhooks/wh_1?done=enabled'])
    const [webhook] = await storage.webhooks.list('sbc_1')
    expect(webhook).toMatchObject({ state: 'enabled' })
    expect(await noted('webhook.change')).toMatchObject([
      { actor: 'minh', actorKind: 'operator', subject: 'wh_1', details: { via: 'console' } },
    ])
  })
})
