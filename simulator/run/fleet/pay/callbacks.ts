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
export class Callbacks {
  readonly mix: MixTotals = { ...NO_MIX }
  /** Payments without an answer yet. */
  underWay = 0
  /** The error of the last request that failed. */
  lastFailure = ''
  readonly #deps: CallbacksDeps
  readonly #staticQr = staticQr()
  /** The customers who wait for a QR, by its bill. */
  readonly #waiting = new Map<string, { askedAtMs: number; sees: (isThere: boolean) => void }>()
  #isCut = false

  constructor(deps: CallbacksDeps) {
    this.#deps = deps
  }

  /** Resolves when the payment is stored or given up. */
  async report(shop: Shop, amount: string, kind: Kind | undefined): Promise<void> {
    this.underWay += 1
    try {
      await this.#begin(shop, amount, kind)
    } finally {
      this.underWay -= 1
    }
  }

  /** A speaker shows the QR of a bill. */
  shown(bill: string, atMs: number): void {
    const customer = this.#waiting.get(bill)
    if (!customer) return
    this.#deps.ledger.times.qr.record(atMs, atMs - customer.askedAtMs)
    customer.sees(true)
  }

  /** From now on a callback that fails is given up at once. */
  cut(): void {
    this.#isCut = true
  }

  async #begin(shop: Shop, amount: string, kind: Kind | undefined): Promise<void> {
    const ftCode = this.#deps.newFtCode()
    if (kind === 'wrong-checksum') return this.#forge(this.#fieldsOf(ftCode, shop, amount, ''))
    const bill = kind === 'bill' || kind === 'qr' ? ftCode : ''
    if (kind === 'qr') {
      this.#deps.ledger.reserve(shop.speaker, amount)
      await this.#showQr(shop, bill, amount)
    }
    if (bill !== '') this.mix.bills += 1
    const fields = this.#fieldsOf(ftCode, shop, amount, bill)
    const isStored = await this.#pay(fields, shop.speaker)
    if (isStored && kind === 'repeat') await this.#repeat(fields)
  }

  #fieldsOf(ftCode: string, { terminalID, bankCode }: Shop, amount: string, billNumber: string) {
    const payDate = new Date(this.#deps.clock.now()).toISOString()
    return {
      ...{ terminalID, bankCode, billNumber, transactionAmount: amount, notice: 'Thanh toan' },
      ...{ payDate, traceTransfer: ftCode.slice(-6), ftCode },
    }
  }

  /** Sends a request until the hub answers it with success. False: it was given up, or cut off. */
  async #insists(
    send: () => Promise<unknown>,
    isFinal: (error: unknown) => boolean,
    again = () => {},
  ): Promise<boolean> {
    const { client, clock } = this.#deps
    const fromMs = clock.now()
    for (;;) {
      try {
        await withRetries(client, send)
        return true
      } catch (error) {
        this.lastFailure = messageOf(error)
        if (isFinal(error) || this.#isCut || clock.now() > fromMs + GIVE_UP_MS) return false
      }
      again()
      await sleep(REPEAT_AFTER_MS)
    }
  }

  /** After any other answer than 200, or none, a processor repeats the callback. */
  async #pay(fields: CallbackFields, speaker: number): Promise<boolean> {
    const { client, ledger, clock } = this.#deps
    const payment = ledger.sent(fields.ftCode, speaker, fields.transactionAmount, clock.now())
    const isStored = await this.#insists(
      () => client.callback(fields),
      () => false,
      () => ledger.retried(),
    )
    if (isStored) ledger.answered(payment, clock.now())
    else ledger.unheard(payment, 'unanswered', this.lastFailure)
    return isStored
  }

  /** Shows the QR of a bill, and waits for a customer. A bill without its QR is paid, too. */
  async #showQr({ storeId }: Shop, billNumber: string, transactionAmount: string): Promise<void> {
    const { client, clock, random } = this.#deps
    this.mix.qrs += 1
    const built = buildDynamicQr(this.#staticQr, { amount: transactionAmount, bill: billNumber })
    const qrcode = built.ok ? built.value : ''
    const seen = this.#waitFor(billNumber)
    const isMade = await this.#insists(
      () => client.dynamicQr({ storeId, billNumber, transactionAmount, qrcode }),
      (error) => !isAway(error),
    )
    if (!isMade) {
      this.mix.qrsRefused += 1
      this.#waiting.get(billNumber)?.sees(false)
    } else if (!(await seen)) this.mix.qrsUnseen += 1
    const paysAtMs = clock.now() + SCAN_MS.least + random() * SCAN_MS.more
    await new Promise<void>((resolve) => clock.wakeAt(paysAtMs, resolve))
  }

  /** Resolves when a speaker shows the QR of the bill; false: the customer has waited in vain. */
  #waitFor(bill: string): Promise<boolean> {
    const { clock } = this.#deps
    const askedAtMs = clock.now()
    return new Promise((resolve) => {
      const cancel = clock.wakeAt(askedAtMs + SEEN_WITHIN_MS, () => sees(false))
      const sees = (isThere: boolean) => {
        cancel()
        this.#waiting.delete(bill)
        resolve(isThere)
      }
      this.#waiting.set(bill, { askedAtMs, sees })
    })
  }

  async #repeat(fields: CallbackFields): Promise<void> {
    this.mix.repeats += 1
    const isAnswered = await this.#insists(
      () => this.#deps.client.callback(fields),
      (error) => !isAway(error),
    )
    if (!isAnswered) this.mix.repeatsRefused += 1
  }

  /** Sends a callback that the hub must refuse. One that nobody answers is not sent again. */
  async #forge(fields: CallbackFields): Promise<void> {
    this.mix.wrongChecksums += 1
    try {
      await this.#deps.client.callback(fields, { checkSum: '0'.repeat(64) })
      this.mix.wrongAccepted += 1
    } catch (error) {
      if (!(error instanceof PartnerRefusal)) this.lastFailure = messageOf(error)
    }
  }
}
