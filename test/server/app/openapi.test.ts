import { beforeAll, describe, expect, it } from 'vitest'
import { createTestApi } from '../../support/api.ts'
import { withFile } from '../../support/folder.ts'
import { type Description, type Operation, readDescription, type Schema } from '../../support/http/openapi.ts'

const OPERATIONS = [
  ['post', '/partner/auth/token', 200],
  ['post', '/partner/auth/refresh', 200],
  ['post', '/partner/device/send-verification', 200],
  ['post', '/partner/device/register', 201],
  ['post', '/partner/device/unregister', 200],
  ['patch', '/partner/device/update-status', 200],
  ['get', '/partner/device', 200],
  ['get', '/partner/device/{serial}', 200],
  ['get', '/partner/device/{serial}/settings', 200],
  ['put', '/partner/device/{serial}/settings', 200],
  ['post', '/partner/device/{serial}/test-announcement', 200],
  ['post', '/partner/payment/dynamic-qr', 201],
  ['post', '/partner/payment/callback', 200],
  ['get', '/partner/store', 200],
  ['get', '/partner/store/{storeId}', 200],
  ['put', '/partner/store/{storeId}', 200],
  ['get', '/partner/payment/transactions', 200],
  ['get', '/partner/payment/summary', 200],
  ['get', '/partner/payment/transactions/{ftCode}', 200],
  ['get', '/partner/event', 200],
  ['post', '/partner/webhook', 201],
  ['get', '/partner/webhook', 200],
  ['get', '/partner/webhook/{id}', 200],
  ['patch', '/partner/webhook/{id}', 200],
  ['delete', '/partner/webhook/{id}', 204],
  ['post', '/partner/webhook/{id}/rotate', 200],
  ['post', '/partner/webhook/{id}/test', 202],
  ['get', '/partner/webhook/{id}/deliveries', 200],
  ['post', '/partner/webhook/{id}/replay', 202],
  ['post', '/partner/statement', 201],
  ['get', '/partner/statement', 200],
  ['get', '/partner/statement/{id}', 200],
  ['get', '/partner/statement/{id}/rows', 200],
  ['get', '/partner/payment/reconciliation', 200],
] as const

/** The schemas that the interface document names (2.1 to 2.4). */
const INTERFACE_NAMES = [
  'PartnerStorePayloadDto',
  'PartnerDevicePayloadDto',
  'CreateStoreQRResponseDto',
  'AuthTokenRequestDto',
  'AuthTokenResponseDto',
  'PartnerAuthTokenRequestDto',
  'PartnerAuthTokenResponseDto',
  'PartnerAuthRefreshRequestDto',
  'SendDeviceVerificationRequestDto',
  'UnregisterDeviceRequestDto',
  'UpdateDevicesStatusRequestDto',
  'UpdateDevicesStatusResponseDto',
  'DeviceStatusUpdateDto',
  'UpdatePartnerStoreRequestDto',
  'PartnerPaymentQRParamsDto',
  'ErrorResponsePayloadDto',
]

let description: Description
const onEnd = withFile()
beforeAll(async () => {
  description = readDescription(await createTestApi({ onEnd }).text('/openapi.json'))
})

describe('the document at /openapi.json', () => {
  it('is OpenAPI 3.1 in JSON', async () => {
    const answer = await createTestApi().request('GET', '/openapi.json')
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/)
    expect(answer.body).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), servers: [{ url: '/' }] })
  })

  it('describes the operations of the contract and no others', () => {
    const all = description.operations.map(({ method, path }) => `${method.toLowerCase()} ${path}`)
    expect(all.sort()).toEqual(OPERATIONS.map(([method, path]) => `${method} /api/v1${path}`).sort())
  })

  it.each(OPERATIONS)(
    'describes one success and all errors of %s %s, with examples',
    (method, path, status) => {
      const { responses, requestBody, ...operation } = find(method, path)
      const { 204: bodiless, ...answers } = responses
      const statuses = Object.keys(responses)
      expect(statuses.filter((one) => one < '400')).toEqual([String(status)])
      expect(statuses).toContain('401')
      for (const { content } of [...Object.values(answers), ...(requestBody ? [requestBody] : [])])
        expect(
          Object.keys((content?.['application/json'] ?? content?.['application/xml'])?.examples ?? {}),
        ).not.toEqual([])
      expect(bodiless?.content).toBeUndefined()
      expect(operation.description?.length).toBeGreaterThan(80)
    },
  )

  it.each(OPERATIONS)('describes the headers of the errors of %s %s', (method, path) => {
    const { responses } = find(method, path)
    const headersOf = (status: string) => Object.keys(responses[status]?.headers ?? {})
    expect(headersOf('401')).toContain('WWW-Authenticate')
    for (const status of Object.keys(responses).filter((one) => ['429', '503'].includes(one)))
      expect(headersOf(status)).toContain('Retry-After')
  })

  it.each(OPERATIONS)('describes the authentication of %s %s', (method, path) => {
    const { security, parameters } = find(method, path)
    const open: Record<string, Operation['security']> = {
      '/partner/auth/token': [{}, { basic: [] }],
      '/partner/auth/refresh': [],
    }
    expect(security).toEqual(open[path] ?? [{ bearer: [] }])
    const named = parameters.map(({ name }) => name)
    expect(named).toContain('X-Request-Id')
    expect(named.includes('x-client-id')).toBe(open[path] === undefined)
  })

  it.each(OPERATIONS.filter(([method]) => method !== 'get'))(
    'has an example of details for %s %s',
    (method, path) => {
      const { examples } = find(method, path).responses[400]?.content?.['application/json'] ?? {}
      expect(Object(examples?.VALIDATION_FAILED?.value).details).not.toEqual([])
    },
  )

  it('uses the schema names of the interface document', () => {
    expect(Object.keys(description.schemas)).toEqual(expect.arrayContaining(INTERFACE_NAMES))
  })

  it('describes every field', () => {
    const silent = Object.entries(description.schemas).flatMap(([name, schema]) => undescribed(name, schema))
    expect(silent).toEqual([])
  })
})

function find(method: string, path: string): Operation {
  const found = description.operations.find(
    (one) => one.method === method.toUpperCase() && one.path === `/api/v1${path}`,
  )
  if (!found) throw new Error(`${method} ${path} is not described`)
  return found
}

/** The parts of a schema without a description. */
function undescribed(place: string, schema: Schema): string[] {
  const parts = [...(schema.allOf ?? []), ...(schema.items ? [schema.items] : [])]
  const fields = Object.entries(schema.properties ?? {})
  return [
    ...parts.flatMap((part) => undescribed(place, part)),
    ...fields.filter(([, field]) => !field.description).map(([name]) => `${place}.${name}`),
    ...fields.flatMap(([name, field]) => undescribed(`${place}.${name}`, field)),
  ]
}
