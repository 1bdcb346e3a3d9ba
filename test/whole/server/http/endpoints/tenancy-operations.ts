import { AT } from '../../../../server/storage/shop.ts'
import { REGISTRATION, type RequestOptions } from '../../../../support/api.ts'
import { signedCallback } from '../../../../support/callback.ts'
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

export const STATEMENT = '/partner/statement'
export const XML = { 'Content-Type': 'application/xml' }

/** What a bank writes of one payment. */
export const statementOf = (amount: number) =>
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
