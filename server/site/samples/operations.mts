// The client's call of each operation, which the reference shows beside curl: server/site/parts/calls.ts cuts them apart.
import { hub } from './hub.mts'

// getAccessToken
// Other calls get their token by themselves.
await hub.getAccessToken()

// refreshAccessToken
await hub.refreshAccessToken({ refreshToken: 'sbr_EXAMPLEexampleEXAMPLEexampleEXAMPLEexample3' })

// sendVerificationCode
await hub.sendVerificationCode({ deviceSerial: 'SB-0001' })

// registerDevice
await hub.registerDevice({
  deviceSerial: 'SB-0001',
  verificationCode: '048213',
  phoneNumber: '0901234567',
  storeName: 'Quán Cà Phê Sáng ☕',
  terminalID: 'TILL-01',
  bankCode: 'MB',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN VAN A',
})

// unregisterDevice
await hub.unregisterDevice({ deviceSerial: 'SB-0001' })

// updateDevicesStatus
await hub.updateDevicesStatus({ devices: [{ deviceSerial: 'SB-0001', active: false }] })

// listDevices
for await (const device of hub.devices()) console.log(device.serial)
// Or a page: hub.listDevices()

// getDevice
await hub.getDevice('SB-0001')

// testDevice
await hub.testDevice('SB-0001')

// getDeviceSettings
await hub.getDeviceSettings('SB-0001')

// updateDeviceSettings
await hub.updateDeviceSettings('SB-0001', { volume: 60 })

// createDynamicQr
await hub.createDynamicQr({
  storeId: '01a1fe2b-90d0-72de-b511-737793d93366',
  billNumber: 'HD-20261120-001',
  transactionAmount: '50000',
})

// reportPayment
// The client signs it.
await hub.reportPayment({
  terminalID: 'TILL-01',
  bankCode: 'MB',
  billNumber: 'HD-20261120-001',
  transactionAmount: '50000',
  notice: 'Bàn 5: 2 cà phê sữa đá 🧊 cảm ơn quán!',
  payDate: '2026-11-20T10:15:30+07:00',
  traceTransfer: '104233',
  ftCode: 'FT26324000123456',
})

// searchPayments
for await (const payment of hub.payments()) console.log(payment.ftCode, payment.transactionAmount)
// Or a page: hub.searchPayments(), and a whole file: hub.searchPaymentsCsv()

// getTransaction
await hub.getTransaction('FT26324000123456')

// summarizeDay
for await (const store of hub.dayByStore()) console.log(store.storeName, store.count, store.amount)
// Or a page: hub.summarizeDay(), and a whole file: hub.summarizeDayCsv()

// importStatement
const file = '<?xml version="1.0"?>…'
await hub.importStatement(file, { account: '0123456789' })
// CSV has a profile: hub.importStatement(csv, { account: '0123456789', profile: 'lotus' })

// listStatements
for await (const statement of hub.statements()) console.log(statement.from, statement.balanced)
// Or a page: hub.listStatements()

// getStatement
await hub.getStatement('01a1fe2b-90d1-71aa-8c2f-0d2e6a7b9c10')

// statementRows
const missing = hub.rowsOfStatement('01a1fe2b-90d1-71aa-8c2f-0d2e6a7b9c10', { bucket: 'bank_only' })
for await (const row of missing) console.log(row.n, row.amount)
// Or a page: hub.statementRows(id), and a whole file: hub.statementRowsCsv(id)

// reconcileDay
await hub.reconcileDay({ date: '2026-11-20' })
// Or a whole file: hub.reconcileDayCsv()

// listStores
for await (const store of hub.stores()) console.log(store.storeName)
// Or a page: hub.listStores()

// getStore
await hub.getStore('01a1fe2b-90d0-72de-b511-737793d93366')

// updateStore
await hub.updateStore('01a1fe2b-90d0-72de-b511-737793d93366', { storeName: 'Quán Cà Phê Tối' })

// readEvents
for await (const event of hub.events()) console.log(event.seq, event.type)
// Or a page: hub.readEvents()

// createWebhook
await hub.createWebhook({ url: 'https://example.com/soundbox?shop=7', types: ['announcement.played'] })

// listWebhooks
await hub.listWebhooks()

// getWebhook
await hub.getWebhook('wh_01M7VCQE4RZC8N5T1X6K9B2DQH')

// changeWebhook
await hub.changeWebhook('wh_01M7VCQE4RZC8N5T1X6K9B2DQH', { state: 'enabled' })

// deleteWebhook
await hub.deleteWebhook('wh_01M7VCQE4RZC8N5T1X6K9B2DQH')

// rotateWebhookSecret
await hub.rotateWebhookSecret('wh_01M7VCQE4RZC8N5T1X6K9B2DQH')

// testWebhook
await hub.testWebhook('wh_01M7VCQE4RZC8N5T1X6K9B2DQH')

// listDeliveries
const failed = hub.deliveries('wh_01M7VCQE4RZC8N5T1X6K9B2DQH', { state: 'failed' })
for await (const delivery of failed) console.log(delivery.eventId)
// Or a page: hub.listDeliveries('wh_01M7VCQE4RZC8N5T1X6K9B2DQH')

// replayEvents
await hub.replayEvents('wh_01M7VCQE4RZC8N5T1X6K9B2DQH', { eventId: 'evt_01M7VF7J126C2PAGHE4T2WSE2S' })
