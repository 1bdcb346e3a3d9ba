import { setTimeout as sleep } from 'node:timers/promises'
import { buildDynamicQr } from '../../../../protocol/vietqr/build.ts'
import type { Clock } from '../../../platform/clock.ts'
import { messageOf } from '../../../platform/error-text.ts'
import { type CallbackFields, type PartnerClient, PartnerRefusal } from '../../hub/partner-client.ts'
import { staticQr } from '../../hub/sample-shop.ts'
import type { Ledger } from '../model/ledger.ts'
import { type Kind, type MixTotals, NO_MIX } from './kinds.ts'
import { isAway } from './reach.ts'
import { withRetries } from './retry.ts'
import type { Shop } from './shops.ts'

/** How long a processor repeats a callback: longer than a hub takes to restart. */
const GIVE_UP_MS = 90_000
const REPEAT_AFTER_MS = 500
/** How long a customer waits for a QR to appear. */
const SEEN_WITHIN_MS = 10_000
/** How long a customer then takes to pay: at least, and at random besides. */
const SCAN_MS = { least: 1_000, more: 2_000 }

export interface CallbacksDeps {
  client: PartnerClient
  ledger: Ledger
  clock: Clock
  random: () => number
  newFtCode: () => string
}

/** The callbacks of a processor. Each is repeated until the hub has stored its payment. */
export interface Callbacks {
  /** Resolves when the payment is stored or given up. */
  report(shop: Shop, amount: string, kind: Kind | undefined): Promise<void>
  /** A speaker shows the QR of a bill. */
  shown(bill: string, atMs: number): void
  /** From now on a callback that fails is given up at once. */
  cut(): void
  /** Payments without an answer yet. */
  readonly underWay: number
  readonly mix: Readonly<MixTotals>
  /** The error of the last request that failed. */
  readonly lastFailure: string
}

export function openCallbacks({ client, ledger, clock, random, newFtCode }: CallbacksDeps): Callbacks {
  let isCut = false
  const qr = staticQr()
  /** The customers who wait for a QR, by its bill. */
  const waiting = new Map<string, { askedAtMs: number; sees: (isThere: boolean) => void }>()

  function fieldsOf(ftCode: string, { terminalID, bankCode }: Shop, amount: string, billNumber: string) {
    return {
      ...{ terminalID, bankCode, billNumber, transactionAmount: amount, notice: 'Thanh toan' },
      ...{ payDate: new Date(clock.now()).toISOString(), traceTransfer: ftCode.slice(-6), ftCode },
    }
  }

  /** Sends a request until the hub answers it with success. False: it was given up, or cut off. */
  async function insists(
    send: () => Promise<unknown>,
    isFinal: (error: unknown) => boolean,
    again = () => {},
  ): Promise<boolean> {
    const fromMs = clock.now()
    for (;;) {
      try {
        await withRetries(client, send)
        return true
      } catch (error) {
        self.lastFailure = messageOf(error)
        if (isFinal(error) || isCut || clock.now() > fromMs + GIVE_UP_MS) return false
      }
      again()
      await sleep(REPEAT_AFTER_MS)
    }
  }

  /** After any other answer than 200, or none, a processor repeats the callback. */
  async function pay(fields: CallbackFields, speaker: number): Promise<boolean> {
    const payment = ledger.sent(fields.ftCode, speaker, fields.transactionAmount, clock.now())
    const isStored = await insists(
      () => client.callback(fields),
      () => false,
      () => ledger.retried(),
    )
    if (isStored) ledger.answered(payment, clock.now())
    else ledger.unheard(payment, 'unanswered', self.lastFailure)
    return isStored
  }

  /** Shows the QR of a bill, and waits for a customer. A bill without its QR is paid, too. */
  async function showQr({ storeId }: Shop, billNumber: string, transactionAmount: string): Promise<void> {
    self.mix.qrs += 1
    const built = buildDynamicQr(qr, { amount: transactionAmount, bill: billNumber })
    const qrcode = built.ok ? built.value : ''
    const seen = waitFor(billNumber)
    const isMade = await insists(
      () => client.dynamicQr({ storeId, billNumber, transactionAmount, qrcode }),
      (error) => !isAway(error),
    )
    if (!isMade) {
      self.mix.qrsRefused += 1
      waiting.get(billNumber)?.sees(false)
    } else if (!(await seen)) self.mix.qrsUnseen += 1
    const paysAtMs = clock.now() + SCAN_MS.least + random() * SCAN_MS.more
    await new Promise<void>((resolve) => clock.wakeAt(paysAtMs, resolve))
  }

  /** Resolves when a speaker shows the QR of the bill; false: the customer has waited in vain. */
  function waitFor(bill: string): Promise<boolean> {
    const askedAtMs = clock.now()
    return new Promise((resolve) => {
      const cancel = clock.wakeAt(askedAtMs + SEEN_WITHIN_MS, () => sees(false))
      const sees = (isThere: boolean) => {
        cancel()
        waiting.delete(bill)
        resolve(isThere)
      }
      waiting.set(bill, { askedAtMs, sees })
    })
  }

  async function repeat(fields: CallbackFields): Promise<void> {
    self.mix.repeats += 1
    const isAnswered = await insists(
      () => client.callback(fields),
      (error) => !isAway(error),
    )
    if (!isAnswered) self.mix.repeatsRefused += 1
  }

  /** Sends a callback that the hub must refuse. One that nobody answers is not sent again. */
  async function forge(fields: CallbackFields): Promise<void> {
    self.mix.wrongChecksums += 1
    try {
      await client.callback(fields, { checkSum: '0'.repeat(64) })
      self.mix.wrongAccepted += 1
    } catch (error) {
      if (!(error instanceof PartnerRefusal)) self.lastFailure = messageOf(error)
    }
  }

  async function begin(shop: Shop, amount: string, kind: Kind | undefined): Promise<void> {
    const ftCode = newFtCode()
    if (kind === 'wrong-checksum') return forge(fieldsOf(ftCode, shop, amount, ''))
    const bill = kind === 'bill' || kind === 'qr' ? ftCode : ''
    if (kind === 'qr') {
      ledger.reserve(shop.speaker, amount)
      await showQr(shop, bill, amount)
    }
    if (bill !== '') self.mix.bills += 1
    const fields = fieldsOf(ftCode, shop, amount, bill)
    const isStored = await pay(fields, shop.speaker)
    if (isStored && kind === 'repeat') await repeat(fields)
  }

  const self = {
    ...{ underWay: 0, lastFailure: '', mix: { ...NO_MIX } },
    async report(shop: Shop, amount: string, kind: Kind | undefined) {
      self.underWay += 1
      try {
        await begin(shop, amount, kind)
      } finally {
        self.underWay -= 1
      }
    },
    shown(bill: string, atMs: number) {
      const customer = waiting.get(bill)
      if (!customer) return
      ledger.times.qr.record(atMs, atMs - customer.askedAtMs)
      customer.sees(true)
    },
    cut() {
      isCut = true
    },
  }
  return self
}
