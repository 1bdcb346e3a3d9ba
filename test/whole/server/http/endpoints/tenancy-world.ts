import { hashOf } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { createTestApi, stringAt, type TestApi } from '../../../../support/api.ts'
import { settle } from '../../../../support/clock.ts'
import type { OnEnd } from '../../../../support/folder.ts'
import { OPERATIONS, STATEMENT, statementOf, type Values, XML } from './tenancy-operations.ts'

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
