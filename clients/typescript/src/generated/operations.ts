// Made of the OpenAPI document by `npm run generate`. Fingerprint: 24e2027d9c914612ba6c18e856baf111b03db97f4164ff964b686e4db00a9b79
import type {
  CreateStoreQRResponseDto,
  CreateWebhookRequestDto,
  CreatedWebhookDto,
  DaySummaryDto,
  DeviceDetailDto,
  DeviceListDto,
  DeviceSettingsDto,
  EventsDto,
  ImportStatementQuery,
  ListDeliveriesQuery,
  ListDevicesQuery,
  ListStatementsQuery,
  ListStoresQuery,
  PartnerAuthRefreshRequestDto,
  PartnerAuthTokenRequestDto,
  PartnerAuthTokenResponseDto,
  PartnerDevicePayloadDto,
  PartnerPaymentQRParamsDto,
  PartnerStorePayloadDto,
  PaymentCallbackRequestDto,
  ReadEventsQuery,
  ReconcileDayQuery,
  ReconciliationDto,
  RegisterDeviceRequestDto,
  RegisterDeviceResponseDto,
  ReplayEventsRequestDto,
  ReplayedEventsDto,
  RotatedWebhookSecretDto,
  SearchPaymentsQuery,
  SendDeviceVerificationRequestDto,
  SendDeviceVerificationResponseDto,
  StatementDto,
  StatementListDto,
  StatementRowsDto,
  StatementRowsQuery,
  StoreListDto,
  SummarizeDayQuery,
  TestAnnouncementResponseDto,
  TestedWebhookDto,
  TransactionDto,
  TransactionListDto,
  UnregisterDeviceRequestDto,
  UpdateDeviceSettingsRequestDto,
  UpdateDevicesStatusRequestDto,
  UpdateDevicesStatusResponseDto,
  UpdatePartnerStoreRequestDto,
  UpdateWebhookRequestDto,
  WebhookDeliveryListDto,
  WebhookDetailDto,
  WebhookDto,
  WebhookListDto,
} from './types.ts'

/** The method and the path of each operation, and whether it takes an Idempotency-Key. */
export const OPERATIONS = {
  getAccessToken: { method: 'POST', path: '/api/v1/partner/auth/token', takesKey: false },
  refreshAccessToken: { method: 'POST', path: '/api/v1/partner/auth/refresh', takesKey: false },
  sendVerificationCode: { method: 'POST', path: '/api/v1/partner/device/send-verification', takesKey: true },
  registerDevice: { method: 'POST', path: '/api/v1/partner/device/register', takesKey: true },
  unregisterDevice: { method: 'POST', path: '/api/v1/partner/device/unregister', takesKey: true },
  updateDevicesStatus: { method: 'PATCH', path: '/api/v1/partner/device/update-status', takesKey: false },
  listDevices: { method: 'GET', path: '/api/v1/partner/device', takesKey: false },
  getDevice: { method: 'GET', path: '/api/v1/partner/device/{serial}', takesKey: false },
  testDevice: { method: 'POST', path: '/api/v1/partner/device/{serial}/test-announcement', takesKey: false },
  createDynamicQr: { method: 'POST', path: '/api/v1/partner/payment/dynamic-qr', takesKey: true },
  reportPayment: { method: 'POST', path: '/api/v1/partner/payment/callback', takesKey: false },
  searchPayments: { method: 'GET', path: '/api/v1/partner/payment/transactions', takesKey: false },
  summarizeDay: { method: 'GET', path: '/api/v1/partner/payment/summary', takesKey: false },
  getTransaction: { method: 'GET', path: '/api/v1/partner/payment/transactions/{ftCode}', takesKey: false },
  readEvents: { method: 'GET', path: '/api/v1/partner/event', takesKey: false },
  listStores: { method: 'GET', path: '/api/v1/partner/store', takesKey: false },
  getStore: { method: 'GET', path: '/api/v1/partner/store/{storeId}', takesKey: false },
  updateStore: { method: 'PUT', path: '/api/v1/partner/store/{storeId}', takesKey: false },
  getDeviceSettings: { method: 'GET', path: '/api/v1/partner/device/{serial}/settings', takesKey: false },
  updateDeviceSettings: { method: 'PUT', path: '/api/v1/partner/device/{serial}/settings', takesKey: false },
  createWebhook: { method: 'POST', path: '/api/v1/partner/webhook', takesKey: true },
  listWebhooks: { method: 'GET', path: '/api/v1/partner/webhook', takesKey: false },
  getWebhook: { method: 'GET', path: '/api/v1/partner/webhook/{id}', takesKey: false },
  changeWebhook: { method: 'PATCH', path: '/api/v1/partner/webhook/{id}', takesKey: false },
  deleteWebhook: { method: 'DELETE', path: '/api/v1/partner/webhook/{id}', takesKey: false },
  rotateWebhookSecret: { method: 'POST', path: '/api/v1/partner/webhook/{id}/rotate', takesKey: true },
  testWebhook: { method: 'POST', path: '/api/v1/partner/webhook/{id}/test', takesKey: false },
  listDeliveries: { method: 'GET', path: '/api/v1/partner/webhook/{id}/deliveries', takesKey: false },
  replayEvents: { method: 'POST', path: '/api/v1/partner/webhook/{id}/replay', takesKey: true },
  importStatement: { method: 'POST', path: '/api/v1/partner/statement', takesKey: false },
  listStatements: { method: 'GET', path: '/api/v1/partner/statement', takesKey: false },
  getStatement: { method: 'GET', path: '/api/v1/partner/statement/{id}', takesKey: false },
  statementRows: { method: 'GET', path: '/api/v1/partner/statement/{id}/rows', takesKey: false },
  reconcileDay: { method: 'GET', path: '/api/v1/partner/payment/reconciliation', takesKey: false },
} as const

/** The body, the query and the answer of each operation, and the codes of its errors. */
export interface Operations {
  /** Get access token for partner client. */
  getAccessToken: {
    body: PartnerAuthTokenRequestDto
    query: undefined
    answer: PartnerAuthTokenResponseDto
    codes: 40000 | 40001 | 40100 | 40103 | 40105 | 40106 | 41300 | 41500 | 42900 | 42902 | 50000 | 50300
  }
  /** Refresh token. */
  refreshAccessToken: {
    body: PartnerAuthRefreshRequestDto
    query: undefined
    answer: PartnerAuthTokenResponseDto
    codes: 40000 | 40001 | 40104 | 40105 | 40106 | 40107 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** Send verification code to speaker device. */
  sendVerificationCode: {
    body: SendDeviceVerificationRequestDto
    query: undefined
    answer: SendDeviceVerificationResponseDto
    codes: 40000 | 40001 | 40002 | 40013 | 40100 | 40101 | 40102 | 40105 | 40106 | 40901 | 40905 | 40907 | 41300 | 41500 | 42900 | 42901 | 50000 | 50300 | 50401
  }
  /** Register a speaker device. */
  registerDevice: {
    body: RegisterDeviceRequestDto
    query: undefined
    answer: RegisterDeviceResponseDto
    codes: 40000 | 40001 | 40002 | 40010 | 40011 | 40012 | 40013 | 40100 | 40101 | 40102 | 40105 | 40106 | 41300 | 41500 | 42900 | 42901 | 50000 | 50300
  }
  /** Unregister a speaker device. */
  unregisterDevice: {
    body: UnregisterDeviceRequestDto
    query: undefined
    answer: PartnerDevicePayloadDto
    codes: 40000 | 40001 | 40002 | 40013 | 40100 | 40101 | 40102 | 40105 | 40106 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** Update status of multiple speaker devices. */
  updateDevicesStatus: {
    body: UpdateDevicesStatusRequestDto
    query: undefined
    answer: UpdateDevicesStatusResponseDto
    codes: 40000 | 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** List speaker devices. */
  listDevices: {
    body: undefined
    query: ListDevicesQuery
    answer: DeviceListDto
    codes: 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 42900 | 50000 | 50300
  }
  /** Get speaker device detail. */
  getDevice: {
    body: undefined
    query: undefined
    answer: DeviceDetailDto
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 40401 | 42900 | 50000 | 50300
  }
  /** Test a speaker device. */
  testDevice: {
    body: undefined
    query: undefined
    answer: TestAnnouncementResponseDto
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 40401 | 40901 | 40906 | 40907 | 42900 | 50000 | 50300 | 50401
  }
  /** Create a dynamic QR code. */
  createDynamicQr: {
    body: PartnerPaymentQRParamsDto
    query: undefined
    answer: CreateStoreQRResponseDto
    codes: 40000 | 40001 | 40002 | 40016 | 40019 | 40020 | 40100 | 40101 | 40102 | 40105 | 40106 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** Payment callback. */
  reportPayment: {
    body: PaymentCallbackRequestDto
    query: undefined
    answer: CreateStoreQRResponseDto
    codes: 40000 | 40001 | 40014 | 40016 | 40018 | 40100 | 40101 | 40102 | 40105 | 40106 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** Search payments. */
  searchPayments: {
    body: undefined
    query: SearchPaymentsQuery
    answer: TransactionListDto
    codes: 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 42900 | 50000 | 50300
  }
  /** Sum up a day by store. */
  summarizeDay: {
    body: undefined
    query: SummarizeDayQuery
    answer: DaySummaryDto
    codes: 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 42900 | 50000 | 50300
  }
  /** Get a transaction and its announcements. */
  getTransaction: {
    body: undefined
    query: undefined
    answer: TransactionDto
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 40403 | 42900 | 50000 | 50300
  }
  /** Read events. */
  readEvents: {
    body: undefined
    query: ReadEventsQuery
    answer: EventsDto
    codes: 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 41000 | 42900 | 50000 | 50300
  }
  /** List stores. */
  listStores: {
    body: undefined
    query: ListStoresQuery
    answer: StoreListDto
    codes: 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 42900 | 50000 | 50300
  }
  /** Get a store. */
  getStore: {
    body: undefined
    query: undefined
    answer: PartnerStorePayloadDto
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 40402 | 42900 | 50000 | 50300
  }
  /** Update store information. */
  updateStore: {
    body: UpdatePartnerStoreRequestDto
    query: undefined
    answer: PartnerStorePayloadDto
    codes: 40000 | 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 40402 | 40904 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** Get a speaker device's settings. */
  getDeviceSettings: {
    body: undefined
    query: undefined
    answer: DeviceSettingsDto
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 40401 | 42900 | 50000 | 50300
  }
  /** Change a speaker device's settings. */
  updateDeviceSettings: {
    body: UpdateDeviceSettingsRequestDto
    query: undefined
    answer: DeviceSettingsDto
    codes: 40000 | 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 40401 | 40907 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** Create a webhook. */
  createWebhook: {
    body: CreateWebhookRequestDto
    query: undefined
    answer: CreatedWebhookDto
    codes: 40000 | 40001 | 40002 | 40021 | 40100 | 40101 | 40102 | 40105 | 40106 | 40909 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** List webhooks. */
  listWebhooks: {
    body: undefined
    query: undefined
    answer: WebhookListDto
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 42900 | 50000 | 50300
  }
  /** Get a webhook. */
  getWebhook: {
    body: undefined
    query: undefined
    answer: WebhookDetailDto
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 40404 | 42900 | 50000 | 50300
  }
  /** Change a webhook. */
  changeWebhook: {
    body: UpdateWebhookRequestDto
    query: undefined
    answer: WebhookDto
    codes: 40000 | 40001 | 40021 | 40100 | 40101 | 40102 | 40105 | 40106 | 40404 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** Delete a webhook. */
  deleteWebhook: {
    body: undefined
    query: undefined
    answer: undefined
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 40404 | 42900 | 50000 | 50300
  }
  /** Rotate the secret. */
  rotateWebhookSecret: {
    body: undefined
    query: undefined
    answer: RotatedWebhookSecretDto
    codes: 40001 | 40002 | 40100 | 40101 | 40102 | 40105 | 40106 | 40404 | 40908 | 41300 | 42900 | 50000 | 50300
  }
  /** Test a webhook. */
  testWebhook: {
    body: undefined
    query: undefined
    answer: TestedWebhookDto
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 40404 | 42900 | 50000 | 50300
  }
  /** List deliveries. */
  listDeliveries: {
    body: undefined
    query: ListDeliveriesQuery
    answer: WebhookDeliveryListDto
    codes: 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 40404 | 42900 | 50000 | 50300
  }
  /** Send events again. */
  replayEvents: {
    body: ReplayEventsRequestDto
    query: undefined
    answer: ReplayedEventsDto
    codes: 40000 | 40001 | 40002 | 40100 | 40101 | 40102 | 40105 | 40106 | 40404 | 40405 | 40911 | 41300 | 41301 | 41500 | 42900 | 50000 | 50300
  }
  /** Import a statement. */
  importStatement: {
    body: undefined
    query: ImportStatementQuery
    answer: StatementDto
    codes: 40001 | 40022 | 40100 | 40101 | 40102 | 40105 | 40106 | 40910 | 40912 | 41300 | 41500 | 42900 | 50000 | 50300
  }
  /** List statements. */
  listStatements: {
    body: undefined
    query: ListStatementsQuery
    answer: StatementListDto
    codes: 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 42900 | 50000 | 50300
  }
  /** Get a statement. */
  getStatement: {
    body: undefined
    query: undefined
    answer: StatementDto
    codes: 40100 | 40101 | 40102 | 40105 | 40106 | 40406 | 42900 | 50000 | 50300
  }
  /** List the rows of a statement. */
  statementRows: {
    body: undefined
    query: StatementRowsQuery
    answer: StatementRowsDto
    codes: 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 40406 | 42900 | 50000 | 50300
  }
  /** A day against the bank. */
  reconcileDay: {
    body: undefined
    query: ReconcileDayQuery
    answer: ReconciliationDto
    codes: 40001 | 40100 | 40101 | 40102 | 40105 | 40106 | 42900 | 50000 | 50300
  }
}

/** The name of each error code. */
export interface ErrorNames {
  40000: 'MALFORMED_JSON'
  40001: 'VALIDATION_FAILED'
  40002: 'IDEMPOTENCY_KEY_REUSED'
  40010: 'VERIFICATION_CODE_INVALID'
  40011: 'VERIFICATION_CODE_EXPIRED'
  40012: 'VERIFICATION_CODE_NOT_FOUND'
  40013: 'DEVICE_NOT_FOUND'
  40014: 'CHECKSUM_MISMATCH'
  40016: 'STORE_NOT_FOUND'
  40018: 'TRANSACTION_CONFLICT'
  40019: 'BILL_ALREADY_PAID'
  40020: 'QR_AMOUNT_MISMATCH'
  40021: 'WEBHOOK_URL_REFUSED'
  40022: 'STATEMENT_UNREADABLE'
  40100: 'MISSING_CREDENTIALS'
  40101: 'INVALID_TOKEN'
  40102: 'TOKEN_EXPIRED'
  40103: 'INVALID_CLIENT'
  40104: 'INVALID_REFRESH_TOKEN'
  40105: 'CLIENT_ID_MISMATCH'
  40106: 'CLIENT_DISABLED'
  40107: 'REFRESH_TOKEN_REUSED'
  40401: 'DEVICE_NOT_FOUND'
  40402: 'STORE_NOT_FOUND'
  40403: 'TRANSACTION_NOT_FOUND'
  40404: 'WEBHOOK_NOT_FOUND'
  40405: 'EVENT_NOT_FOUND'
  40406: 'STATEMENT_NOT_FOUND'
  40901: 'DEVICE_OFFLINE'
  40904: 'TERMINAL_ID_TAKEN'
  40905: 'DEVICE_DISPLAY_FAILED'
  40906: 'DEVICE_AUDIO_FAILED'
  40907: 'DEVICE_CANNOT'
  40908: 'WEBHOOK_ROTATION_UNDER_WAY'
  40909: 'WEBHOOK_LIMIT'
  40910: 'STATEMENT_KNOWN'
  40911: 'WEBHOOK_REPLAY_UNDER_WAY'
  40912: 'STATEMENT_UNDER_WAY'
  41000: 'EVENTS_GONE'
  41300: 'PAYLOAD_TOO_LARGE'
  41301: 'WEBHOOK_REPLAY_TOO_LARGE'
  41500: 'UNSUPPORTED_MEDIA_TYPE'
  42900: 'RATE_LIMITED'
  42901: 'VERIFICATION_QUOTA'
  42902: 'TOO_MANY_LOGIN_FAILURES'
  50000: 'INTERNAL'
  50300: 'UNAVAILABLE'
  50401: 'DEVICE_NOT_RESPONDING'
}
