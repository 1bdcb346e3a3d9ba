/**
 * The examples of the API's description follow one shop from its registration to its first payment. Bodies, fields and
 * parameters share these values, and they are consistent, checksums too: test/server/http/openapi/examples.test.ts sends them to
 * the app, and error-examples.test.ts checks the errors.
 */
export const story = {
  clientId: 'sbc_5d2f9a41c07be3861a',
  clientSecret: 'sbs_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample1',
  accessToken: 'sba_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample2',
  refreshToken: 'sbr_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample3',
  requestId: '0f0c9a9e-5a4e-4f0b-9a52-0d7c5f7f3f1e',
  deviceSerial: 'SB-0001',
  verificationCode: '048213',
  keyedId: 'KJF5QZ8M4T0C2V7XW3N1RBYHA',
  phoneNumber: '0901234567',
  storeName: 'Quán Cà Phê Sáng ☕',
  ownerName: 'Nguyễn Văn A',
  identityNumber: '079123456789',
  bankName: 'MB Bank',
  bankCode: 'MB',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN VAN A',
  terminalID: 'TILL-01',
  terminalName: 'Quầy 1',
  rmCode: 'RM-7',
  /** The VietQR of the bank account, which register stores. */
  staticQRCode: '00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7',
  /** The code that the hub builds from it for the bill. */
  qrcode:
    '00020101021238540010A00000072701240006970422011001234567890208QRIBFTTA53037045405500005802VN62190115HD-20261120-00163047697',
  userId: '01a1fe2b-90cf-7700-b62a-5f8d7ba30edb',
  storeId: '01a1fe2b-90d0-72de-b511-737793d93366',
  deviceId: '01a1fe2b-90d0-72de-b511-76f425727500',
  billId: '01a1fe2b-90d0-72de-b511-7950c9cc83b1',
  paymentId: '01a1fe2b-90d0-72de-b511-7d317e7cc57d',
  billNumber: 'HD-20261120-001',
  transactionAmount: '50000',
  notice: 'Bàn 5: 2 cà phê sữa đá 🧊 cảm ơn quán!',
  payDate: '2026-11-20T10:15:30+07:00',
  traceTransfer: '104233',
  ftCode: 'FT26324000123456',
  eventId: 'evt_01M7VF7J126C2PAGHE4T2WSE2S',
  seq: '1795144534050000',
  webhookId: 'wh_01M7VCQE4RZC8N5T1X6K9B2DQH',
  webhookUrl: 'https://example.com/soundbox?shop=7',
  webhookSecret: 'whsec_RVhBTVBMRWV4YW1wbGVFWEFNUExFZXhhbXBsZTEyMzQ=',
} as const

/** An example of a body. */
export const example = <T>(summary: string, value: T) => ({ summary, value })

export const bank = {
  bankName: story.bankName,
  bankCode: story.bankCode,
  bankAccountNumber: story.bankAccountNumber,
  bankAccountName: story.bankAccountName,
}

export const store = {
  id: story.storeId,
  storeName: story.storeName,
  ownerName: '',
  identityNumber: story.identityNumber,
  ...bank,
  phoneNumber: story.phoneNumber,
  terminalID: story.terminalID,
  terminalName: '',
  staticQRCode: story.staticQRCode,
  totalTransaction: '0',
  totalAmount: '0',
}

export const device = {
  id: story.deviceId,
  serial: story.deviceSerial,
  deviceName: story.deviceSerial,
  active: true,
  connected: true,
  partnerClientId: story.clientId,
  rmCode: story.rmCode,
  stores: [store],
}

export const health = {
  lastSeenAt: '2026-11-20T03:15:34.050Z',
  model: 'SB-2',
  firmware: '1.0.0',
  battery: 87,
  charging: false,
  signal: -61,
  volume: 80,
  reportedAt: '2026-11-20T03:15:10.000Z',
}

/** Of a device that was never connected. */
export const noHealth = {
  ...{ lastSeenAt: null, model: null, firmware: null, battery: null, charging: null },
  ...{ signal: null, volume: null, reportedAt: null },
}

/** What a speaker of sb/1 can do. Its languages are known from its first connection on. */
export const abilities = {
  ...({ dialect: 'sb/1', profile: null, proof: 'played', identity: 'device', pairing: 'screen' } as const),
  ...{ screen: true, qr: true, missed: true, keypad: false },
  settings: ['volume' as const, 'lang' as const],
  languages: ['vi' as const, 'en' as const],
  maxAmount: '9999999999999',
}

/** What a cursor looks like. */
export const cursor = 'ZGV2aWNlcyA0MQ'

export const freeDevice = { ...device, partnerClientId: '', rmCode: '', stores: [] }

export const record = {
  id: story.billId,
  ...bank,
  qrcode: story.qrcode,
  storeId: story.storeId,
  billNumber: story.billNumber,
}
