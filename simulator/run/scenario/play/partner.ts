import { randomInt } from 'node:crypto'
import type { CallbackFields, PartnerClient } from '../../hub/partner-client.ts'
import { BANK, newFtCode, staticQr } from '../../hub/sample-shop.ts'

/** A payment as the processor has reported it. */
export type Payment = CallbackFields

/** A partner's actions in a scenario, through the public API. A till is named by the scenario. */
export interface ScenarioPartner {
  /** Requests a code on the screen. */
  sendCode(serial: string): Promise<void>
  register(
    serial: string,
    shop: string,
    by: { code: string; till: string },
  ): Promise<{ storeId: string; terminalID: string }>
  showQr(amount: string, bill: string, till: string): Promise<void>
  /** A new payment for a till, not yet reported. */
  newPayment(amount: string, bill: string, till: string): Payment
  /** Reports a payment, for the first time or again. */
  report(payment: Payment): Promise<void>
  /** The stage of a payment's announcement on a speaker; undefined when the hub has none. */
  stage(payment: Payment, serial: string): Promise<string | undefined>
}

/** Logs in at the first action. Every action throws when the hub refuses it. */
export function scenarioPartner(client: PartnerClient): ScenarioPartner {
  // New tills for each run: on a permanent hub, stores of earlier runs must not get its payments.
  const run = `SCENARIO-${Date.now()}-${randomInt(1_000, 10_000)}`
  const storeIds = new Map<string, string>()
  const terminalOf = (till: string) => `${run}${till === '' ? '' : `-${till}`}`
  let isLoggedIn = false
  /** A login that failed is tried again: the next step may find the hub back. */
  const login = async () => {
    if (!isLoggedIn) await client.logIn()
    isLoggedIn = true
  }

  return {
    async sendCode(serial) {
      await login()
      await client.sendVerification(serial)
    },
    async register(deviceSerial, storeName, { code: verificationCode, till }) {
      await login()
      const terminalID = terminalOf(till)
      const body = { phoneNumber: '0901234567', deviceSerial, storeName, terminalID, verificationCode }
      const { storeId } = await client.register({ ...body, staticQRCode: staticQr(), ...BANK })
      storeIds.set(till, storeId)
      return { storeId, terminalID }
    },
    async showQr(transactionAmount, billNumber, till) {
      const storeId = storeIds.get(till)
      if (storeId === undefined) throw new Error(NO_STORE)
      await client.dynamicQr({ storeId, billNumber, transactionAmount })
    },
    newPayment: (transactionAmount, billNumber, till) => ({
      ...{ terminalID: terminalOf(till), bankCode: BANK.bankCode, billNumber, transactionAmount, notice: '' },
      payDate: new Date().toISOString(),
      traceTransfer: String(randomInt(100_000, 1_000_000)),
      ftCode: newFtCode(),
    }),
    async report(payment) {
      await login()
      await client.callback(payment)
    },
    async stage({ ftCode }, serial) {
      const stages = await client.stages(ftCode)
      return stages.find((one) => one.deviceSerial === serial)?.stage
    },
  }
}

const NO_STORE = 'there is no store yet: add a step `register` before'
