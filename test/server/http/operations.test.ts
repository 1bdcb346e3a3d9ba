import { describe, expect, it } from 'vitest'
import { createTestApi } from '../../support/api.ts'

describe('what operators ask', () => {
  it('says that it lives, without a token', async () => {
    expect(await createTestApi().request('GET', '/healthz')).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    })
  })

  it('says whether it is ready for work, and when to ask again', async () => {
    const api = createTestApi()
    expect((await api.request('GET', '/readyz')).status).toBe(200)
    api.ready = false
    const answer = await api.request('GET', '/readyz')
    expect(answer.status).toBe(503)
    expect(answer.headers.has('Retry-After')).toBe(true)
    expect((await api.request('GET', '/healthz')).status).toBe(200)
  })

  it('counts requests by route, never by path, and devices', async () => {
    const api = createTestApi()
    const partner = await api.partner()
    await api.device('SB-0001')
    await partner.call('GET', '/device/SB-0001')
    await partner.call('GET', '/device/SB-0002')
    await api.request('GET', '/somewhere/else')
    const text = await api.text('/metrics')
    expect(text).toMatch(/hub_http_requests_total\{[^}]*route="[^"]*:serial"[^}]*status="200"\} 1/)
    expect(text).toMatch(/hub_devices_connected 1/)
    expect(text).not.toMatch(/SB-000|somewhere/)
  })
})
