import { describe, expect, it } from 'vitest'
import { createTestApi } from '../../support/api.ts'

describe('the endpoints for operators', () => {
  it('answer that the hub is alive, without a token', async () => {
    expect(await createTestApi().request('GET', '/healthz')).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    })
  })

  it.each(['starting', 'draining', 'storage'] as const)(
    'answer why the hub is not ready: %s',
    async (reason) => {
      const api = createTestApi()
      expect((await api.request('GET', '/readyz')).status).toBe(200)
      api.readiness = reason
      const answer = await api.request('GET', '/readyz')
      expect(answer).toMatchObject({ status: 503, body: { status: 'not ready', reason } })
      expect(answer.headers.has('Retry-After')).toBe(true)
      expect((await api.request('GET', '/healthz')).status).toBe(200)
    },
  )

  it('count requests by route, never by path, and devices', async () => {
    const api = createTestApi()
    const partner = await api.partner()
    await api.device('SB-0001')
    await partner.call('GET', '/device/SB-0001')
    await partner.call('GET', '/device/SB-0002')
    await api.request('GET', '/somewhere/else')
    const text = await (await api.admin('/metrics')).text()
    expect(text).toMatch(/hub_http_requests_total\{[^}]*route="[^"]*:serial"[^}]*status="200"\} 1/)
    expect(text).toMatch(/hub_devices_connected\{dialect="sb\/1"\} 1/)
    expect(text).not.toMatch(/SB-000|somewhere/)
  })
})
