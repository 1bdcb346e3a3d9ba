import { expect, it } from 'vitest'
import { createPartnerClient } from '../../../../simulator/run/hub/partner-client.ts'
import { scenarioPartner } from '../../../../simulator/run/scenario/play/partner.ts'

it('logs in once, and again after a login that failed because the hub was away', async () => {
  let isAway = true
  let logins = 0
  const partner = scenarioPartner({
    ...createPartnerClient('http://127.0.0.1:1', '', ''),
    async logIn() {
      logins += 1
      if (isAway) throw new TypeError('fetch failed')
      return 'token'
    },
    callback: async () => 1,
  })
  const payment = partner.newPayment('1000', '', '')
  await expect(partner.report(payment)).rejects.toThrow('fetch failed')
  isAway = false
  await partner.report(payment)
  await partner.report(payment)
  expect(logins).toBe(2)
})
