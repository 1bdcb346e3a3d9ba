import { AT, hashOf } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import {
  createTestApi,
  REGISTRATION,
  type RequestOptions,
  stringAt,
  type TestApi,
} from '../../../../support/api.ts'
import { signedCallback } from '../../../../support/callback.ts'
import { settle } from '../../../../support/clock.ts'
import type { OnEnd } from '../../../../support/folder.ts'
import { cedar } from '../../../../support/statements/banks.ts'

/** The things of one partner that a request can name. */
export const THINGS = [
  'deviceSerial',
  'storeId',
  'billNumber',
  'terminalID',
  'ftCode',
  'clientId',
  'clientSecret',
  'refreshToken',
  'bearer',
  'x-client-id',
  'Idempotency-Key',
  'webhookId',
  'eventId',
  'statementId',
] as const
export type Thing = (typeof THINGS)[number]
export type Values = Record<Thing, string>

interface Sent extends RequestOptions {
  method: string
  path: string
}

interface Row {
  /** The things in its URL, body or checksum. */
  names: readonly Thing[]
  request: (values: Values, code: string) => Sent
}

/** The things in every partner's request: the token and two headers. */
const BY_A_PARTNER: readonly Thing[] = ['bearer', 'x-client-id', 'Idempotency-Key']

function byPartner(
  names: readonly Thing[],
  method: string,
  path: (values: Values) => string,
  body?: (values: Values, code: string) => object | string,
): Row {
  return {
    names: [...names, ...BY_A_PARTNER],
    request: (values, code) => ({
      ...{ method, path: path(values), token: values.bearer },
      headers: {
        ...{ 'x-client-id': values['x-client-id'], 'Idempotency-Key': values['Idempotency-Key'] },
        ...(path(values) === STATEMENT && XML),
      },
      ...(body && { body: body(values, code) }),
    }),
  }
}

function ofWebhook(
  method: string,
  behind = '',
  body?: (values: Values) => object,
  names: readonly Thing[] = [],
): Row {
  const path = ({ webhookId }: Values) => `/partner/webhook/${webhookId}${behind}`
  return byPartner(['webhookId', ...names], method, path, body)
}

const STATEMENT = '/partner/statement'
const XML = { 'Content-Type': 'application/xml' }

/** What a bank writes of one payment. */
const statementOf = (amount: number) =>
  cedar('0011223344')
    .write([{ at: AT, amount, direction: 'credit', reference: '', text: 'Nộp tiền' }], 0)
    .toString()

/** One row per operation, by its name in the OpenAPI document. */
export const OPERATIONS: Record<string, Row> = {
  'post /partner/auth/token': {
    names: ['clientId', 'clientSecret'],
    request: ({ clientId, clientSecret }) => ({
      ...{ method: 'POST', path: '/partner/auth/token' },
      body: { clientId, clientSecret },
    }),
  },
  'post /partner/auth/refresh': {
    names: ['refreshToken'],
    request: ({ refreshToken }) => ({
      ...{ method: 'POST', path: '/partner/auth/refresh' },
      body: { refreshToken },
    }),
  },
  'post /partner/device/send-verification': byPartner(
    ['deviceSerial'],
    'POST',
    () => '/partner/device/send-verification',
    ({ deviceSerial }) => ({ deviceSerial }),
  ),
  'post /partner/device/register': byPartner(
    ['deviceSerial', 'terminalID'],
    'POST',
    () => '/partner/device/register',
    ({ deviceSerial, terminalID }, verificationCode) => ({
      ...{ ...REGISTRATION, deviceSerial, terminalID, verificationCode },
    }),
  ),
  'post /partner/device/unregister': byPartner(
    ['deviceSerial'],
    'POST',
    () => '/partner/device/unregister',
    ({ deviceSerial }) => ({ deviceSerial }),
  ),
  'patch /partner/device/update-status': byPartner(
    ['deviceSerial'],
    'PATCH',
    () => '/partner/device/update-status',
    ({ deviceSerial }) => ({ devices: [{ deviceSerial, active: false }] }),
  ),
  'get /partner/device': byPartner(
    ['deviceSerial', 'storeId'],
    'GET',
    ({ deviceSerial, storeId }) => `/partner/device?serial=${deviceSerial}&storeId=${storeId}`,
  ),
  'get /partner/store': byPartner(
    ['terminalID'],
    'GET',
    ({ terminalID }) => `/partner/store?terminalID=${terminalID}`,
  ),
  'get /partner/store/{storeId}': byPartner(['storeId'], 'GET', ({ storeId }) => `/partner/store/${storeId}`),
  'get /partner/payment/transactions': byPartner(
    ['storeId', 'terminalID', 'billNumber', 'ftCode'],
    'GET',
    ({ storeId, terminalID, billNumber, ftCode }) =>
      `/partner/payment/transactions?${new URLSearchParams({ storeId, terminalID, billNumber, ftCode })}`,
  ),
  'get /partner/payment/summary': byPartner(
    ['storeId'],
    'GET',
    ({ storeId }) => `/partner/payment/summary?storeId=${storeId}`,
  ),
  'get /partner/device/{serial}': byPartner(
    ['deviceSerial'],
    'GET',
    ({ deviceSerial }) => `/partner/device/${deviceSerial}`,
  ),
  'get /partner/device/{serial}/settings': byPartner(
    ['deviceSerial'],
    'GET',
    ({ deviceSerial }) => `/partner/device/${deviceSerial}/settings`,
  ),
  'put /partner/device/{serial}/settings': byPartner(
    ['deviceSerial'],
    'PUT',
    ({ deviceSerial }) => `/partner/device/${deviceSerial}/settings`,
    () => ({ volume: 7, lang: 'vi' }),
  ),
  'post /partner/device/{serial}/test-announcement': byPartner(
    ['deviceSerial'],
    'POST',
    ({ deviceSerial }) => `/partner/device/${deviceSerial}/test-announcement`,
  ),
  'post /partner/payment/dynamic-qr': byPartner(
    ['storeId', 'billNumber'],
    'POST',
    () => '/partner/payment/dynamic-qr',
    ({ storeId, billNumber }) => ({
      storeId,
      billNumber,
      transactionAmount: '7000',
      qrcode: 'by the stranger',
    }),
  ),
  'post /partner/payment/callback': byPartner(
    ['terminalID', 'billNumber', 'ftCode', 'clientSecret'],
    'POST',
    () => '/partner/payment/callback',
    ({ terminalID, billNumber, ftCode, clientSecret }) =>
      signedCallback(clientSecret, {
        ...{ terminalID, billNumber },
        // For its own store, a payment that is not reported yet.
        ftCode: ftCode.replace('STRANGER', 'STRANGER-2'),
      }),
  ),
  'put /partner/store/{storeId}': byPartner(
    ['storeId', 'terminalID'],
    'PUT',
    ({ storeId }) => `/partner/store/${storeId}`,
    ({ terminalID }) => ({ terminalID, storeName: 'By the stranger' }),
  ),
  'get /partner/payment/transactions/{ftCode}': byPartner(
    ['ftCode'],
    'GET',
    ({ ftCode }) => `/partner/payment/transactions/${ftCode}`,
  ),
  'post /partner/statement': byPartner(
    [],
    'POST',
    () => STATEMENT,
    () => statementOf(9_000),
  ),
  'get /partner/statement': byPartner([], 'GET', () => '/partner/statement?limit=5'),
  'get /partner/statement/{id}': byPartner(
    ['statementId'],
    'GET',
    ({ statementId }) => `/partner/statement/${statementId}`,
  ),
  'get /partner/statement/{id}/rows': byPartner(
    ['statementId'],
    'GET',
    ({ statementId }) => `/partner/statement/${statementId}/rows`,
  ),
  'get /partner/payment/reconciliation': byPartner(
    [],
    'GET',
    () => '/partner/payment/reconciliation?date=2026-11-20',
  ),
  'get /partner/event': byPartner([], 'GET', () => '/partner/event'),
  'post /partner/webhook': byPartner(
    [],
    'POST',
    () => '/partner/webhook',
    () => ({ url: 'https://stranger.example/' }),
  ),
  'get /partner/webhook': byPartner([], 'GET', () => '/partner/webhook'),
  'get /partner/webhook/{id}': ofWebhook('GET'),
  'patch /partner/webhook/{id}': ofWebhook('PATCH', '', () => ({ state: 'disabled' })),
  'delete /partner/webhook/{id}': ofWebhook('DELETE'),
  'post /partner/webhook/{id}/rotate': ofWebhook('POST', '/rotate'),
  'post /partner/webhook/{id}/test': ofWebhook('POST', '/test'),
  'get /partner/webhook/{id}/deliveries': ofWebhook('GET', '/deliveries'),
  'post /partner/webhook/{id}/replay': ofWebhook('POST', '/replay', ({ eventId }) => ({ eventId }), [
    'eventId',
  ]),
}

/** Things of nobody, with the length and form of real ones. */
export const NOBODYS: Values = {
  deviceSerial: 'SB-NOBODY',
  storeId: '01940000-0000-7000-8000-000000000000',
  billNumber: 'BILL-NOBODY',
  terminalID: 'TILL-NOBODY',
  ftCode: 'FT-NOBODY',
  clientId: `sbc_${'0'.repeat(18)}`,
  clientSecret: `sbs_${'0'.repeat(43)}`,
  refreshToken: `sbr_${'0'.repeat(43)}`,
  bearer: `sbr_${'1'.repeat(43)}`,
  'x-client-id': `sbc_${'1'.repeat(18)}`,
  'Idempotency-Key': 'key-of-nobody',
  webhookId: `wh_${'0'.repeat(26)}`,
  eventId: `evt_${'0'.repeat(26)}`,
  statementId: '01940000-0000-7000-8000-000000000001',
}

/** A partner with all things, whose names end in the partner's. */
async function settledPartner(api: TestApi, name: string) {
  const partner = await api.partner(name)
  const { clientId, clientSecret } = partner
  const device = await api.device(`SB-${name}`)
  const terminalID = `TILL-${name}`
  const registered = await partner.register(device, { terminalID, staticQRCode: `static ${name}` })
  const storeId = stringAt(registered, 'store', 'id')
  const billNumber = `BILL-${name}`
  const bill = { storeId, billNumber, transactionAmount: '7000', qrcode: `bill ${name}` }
  await partner.call('POST', '/payment/dynamic-qr', bill, { 'Idempotency-Key': `key-of-${name}` })
  await partner.pay({ terminalID, ftCode: `FT-${name}` })
  const login = await api.request('POST', '/api/v1/partner/auth/token', { body: { clientId, clientSecret } })
  const webhook = await partner.call('POST', '/webhook', { url: `https://${name.toLowerCase()}.example/` })
  const statement = await partner.call('POST', '/statement', statementOf(7_000), XML)
  await settle()
  const values: Values = {
    ...{ deviceSerial: device.serial, storeId, billNumber, terminalID, ftCode: `FT-${name}` },
    ...{ clientId, clientSecret, refreshToken: stringAt(login, 'refreshToken') },
    ...{ bearer: partner.token, 'x-client-id': clientId, 'Idempotency-Key': `key-of-${name}` },
    webhookId: stringAt(webhook, 'id'),
    eventId: stringAt(await partner.call('GET', '/event'), 'data', 0, 'id'),
    statementId: stringAt(statement, 'id'),
  }
  return { partner, device, values }
}

export type TenancyWorld = Awaited<ReturnType<typeof tenancyWorld>>

/** An owner and a stranger, each with a shop; the stranger's screen shows a code. */
export async function tenancyWorld(onEnd: OnEnd) {
  const api = createTestApi({ onEnd })
  const owner = await settledPartner(api, 'OWNER')
  const stranger = await settledPartner(api, 'STRANGER')
  await stranger.partner.call('POST', '/device/send-verification', { deviceSerial: 'SB-STRANGER' })
  const code = stranger.device.code()
  // The stages of announcements must not move any more while answers are compared.
  await settle()
  let asked = 0
  return {
    owner: owner.values,
    /** Sends the stranger's request, with at most one thing of somebody else. */
    ask(operation: string, foreign: Partial<Values> = {}) {
      const row = OPERATIONS[operation]
      if (!row) throw new Error(`${operation} has no row`)
      asked += 1
      const own = { ...stranger.values, 'Idempotency-Key': `new-key-${asked}` }
      const { method, path, ...options } = row.request({ ...own, ...foreign }, code)
      return api.request(method, `/api/v1${path}`, options)
    },
    /** The owner's data that a stranger could have changed, and the number of commands to its speaker. */
    async traces() {
      // Lets the rate limit recover.
      await api.clock.wind(1_000)
      const { partner, device } = owner
      const { deviceSerial, ftCode, bearer, webhookId } = owner.values
      const deviceId = (await api.storage.devices.credentials(deviceSerial))?.deviceId ?? ''
      return {
        device: (await partner.call('GET', `/device/${deviceSerial}`)).body,
        transaction: (await partner.call('GET', `/payment/transactions/${ftCode}`)).body,
        screen: await api.storage.outbox.screen(deviceId, api.clock.now()),
        quota: await api.storage.codes.before(partner.clientId, deviceId),
        settings: await api.storage.settings.find(OPERATOR, deviceSerial),
        token: await api.storage.tokens.grant(hashOf(bearer)),
        heard: device.heard.length,
        webhooks: (await partner.call('GET', '/webhook')).body,
        deliveries: (await partner.call('GET', `/webhook/${webhookId}/deliveries`)).body,
        events: await api.storage.events.heads([partner.clientId]),
        statements: (await partner.call('GET', STATEMENT.replace('/partner', ''))).body,
      }
    },
  }
}
