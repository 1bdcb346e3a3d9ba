import { describe, expect, it } from 'vitest'
import { createTestApi } from '../../support/api.ts'

const OPERATIONS = [
  ['post', '/partner/auth/token', 200],
  ['post', '/partner/auth/refresh', 200],
  ['post', '/partner/device/send-verification', 200],
  ['post', '/partner/device/register', 201],
  ['post', '/partner/device/unregister', 200],
  ['patch', '/partner/device/update-status', 200],
  ['get', '/partner/device/{serial}', 200],
  ['get', '/partner/device/{serial}/settings', 200],
  ['put', '/partner/device/{serial}/settings', 200],
  ['post', '/partner/device/{serial}/test-announcement', 200],
  ['post', '/partner/payment/dynamic-qr', 201],
  ['post', '/partner/payment/callback', 200],
  ['put', '/partner/store/{storeId}', 200],
  ['get', '/partner/payment/transactions/{ftCode}', 200],
] as const

async function described(): Promise<Record<string, unknown>> {
  const answer = await createTestApi().request('GET', '/openapi.json')
  expect(answer.status).toBe(200)
  return Object(answer.body)
}

describe('the description at /openapi.json', () => {
  it('is OpenAPI 3.1 in JSON', async () => {
    expect(await described()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) })
  })

  it.each(OPERATIONS)('describes %s %s, its success and its errors', async (method, path, status) => {
    const operation = Object(Object((await described()).paths)[`/api/v1${path}`])[method]
    expect(operation?.responses?.[status]).toBeDefined()
    const errors = Object.entries(Object(operation?.responses)).filter(([code]) => code >= '400')
    for (const [, error] of errors)
      expect(JSON.stringify(error)).toContain('#/components/schemas/ErrorResponsePayloadDto')
    expect(errors.map(([code]) => code)).toContain('401')
  })

  it('describes no operation that the contract does not have', async () => {
    const paths = Object(await described()).paths
    const all = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(Object(item)).map((method) => `${method} ${path}`),
    )
    expect(all.sort()).toEqual(OPERATIONS.map(([method, path]) => `${method} /api/v1${path}`).sort())
  })

  it("uses the interface document's names for its schemas", async () => {
    const schemas = Object.keys(Object(Object(await described()).components).schemas)
    for (const name of [
      ...[
        'PartnerStorePayloadDto',
        'PartnerDevicePayloadDto',
        'CreateStoreQRResponseDto',
        'ErrorResponsePayloadDto',
      ],
      ...['PartnerAuthTokenRequestDto', 'PartnerAuthTokenResponseDto', 'PartnerAuthRefreshRequestDto'],
      ...['SendDeviceVerificationRequestDto', 'UnregisterDeviceRequestDto', 'UpdateDevicesStatusRequestDto'],
      ...['UpdateDevicesStatusResponseDto', 'DeviceStatusUpdateDto', 'UpdatePartnerStoreRequestDto'],
      'PartnerPaymentQRParamsDto',
    ])
      expect(schemas).toContain(name)
  })

  it('agrees with what is answered, field by field', async () => {
    const api = createTestApi()
    const { components } = Object((await api.request('GET', '/openapi.json')).body)
    const fieldsOf = (schema: string) => Object.keys(components.schemas[schema].properties).sort()
    const partner = await api.partner()
    const registered = Object((await partner.register(await api.device('SB-0001'))).body)
    const paid = Object((await partner.pay()).body)
    const refused = Object((await partner.call('GET', '/device/NONE-1')).body)
    const transaction = Object((await partner.call('GET', '/payment/transactions/FT0001')).body)
    expect(Object.keys(registered.store).sort()).toEqual(fieldsOf('PartnerStorePayloadDto'))
    expect(Object.keys(registered.device).sort()).toEqual(fieldsOf('PartnerDevicePayloadDto'))
    expect(Object.keys(paid).sort()).toEqual(fieldsOf('CreateStoreQRResponseDto'))
    expect(Object.keys(refused).sort()).toEqual(fieldsOf('ErrorResponsePayloadDto'))
    expect(Object.keys(transaction).sort()).toEqual(fieldsOf('TransactionDto'))
  })
})

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

  it('shows a reference page that loads nothing from elsewhere', async () => {
    const api = createTestApi()
    const page = await api.text('/docs')
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) {
      expect(link).toMatch(/^\//)
      expect((await api.request('GET', link)).status).toBe(200)
    }
  })
})
