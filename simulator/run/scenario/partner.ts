import { randomInt } from 'node:crypto'
import type { PartnerClient } from '../hub/partner-client.ts'
import { BANK, newFtCode, staticQr } from '../hub/sample-shop.ts'

/** A partner's actions in a scenario, through the public API. */
export interface ScenarioPartner {
  /** Requests a code on the screen. */
  sendCode(serial: string): Promise<void>
  register(serial: string, shop: string, code: string): Promise<void>
  showQr(amount: string, bill: string): Promise<void>
  pay(amount: string, bill: string): Promise<void>
  /** The stage of the last payment's announcement on this speaker; undefined when the hub has none. */
  stage(serial: string): Promise<string | undefined>
}

/** Logs in at the first action. Every action throws when the hub refuses it. */
export function scenarioPartner(client: PartnerClient): ScenarioPartner {
  // A new till for each run: on a permanent hub, stores of earlier runs must not get its payments.
  const terminalID = `SCENARIO-${Date.now()}-${randomInt(1_000, 10_000)}`
  let storeId: string | undefined
  let lastFtCode: string | undefined
  let loggedIn: Promise<string> | undefined
  const login = () => {
    loggedIn ??= client.logIn()
    return loggedIn
  }

  return {
    async sendCode(serial) {
      await login()
      await client.sendVerification(serial)
    },
    async register(deviceSerial, storeName, verificationCode) {
      await login()
      const body = { phoneNumber: '0901234567', deviceSerial, storeName, terminalID, verificationCode }
      storeId = (await client.register({ ...body, staticQRCode: staticQr(), ...BANK })).storeId
    },
    async showQr(transactionAmount, billNumber) {
      if (storeId === undefined) throw new Error('there is no store yet: add a step `register` before')
      await client.dynamicQr({ storeId, billNumber, transactionAmount })
    },
    async pay(transactionAmount, billNumber) {
      if (storeId === undefined) throw new Error('there is no store yet: add a step `register` before')
      lastFtCode = newFtCode()
      await client.callback({
        ...{ terminalID, bankCode: BANK.bankCode, billNumber, transactionAmount, notice: '' },
        payDate: new Date().toISOString(),
        traceTransfer: String(randomInt(100_000, 1_000_000)),
        ftCode: lastFtCode,
      })
    },
    async stage(serial) {
      if (lastFtCode === undefined) throw new Error('there is no payment yet: add a step `pay` before')
      const stages = await client.stages(lastFtCode)
      return stages.find((one) => one.deviceSerial === serial)?.stage
    },
  }
}
