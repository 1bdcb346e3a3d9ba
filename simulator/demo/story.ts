import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PartnerClient } from '../hub/partner-client.ts'
import { BANK, newFtCode, staticQr } from '../hub/sample-shop.ts'
import { becomesTrue, nextHappening } from '../hub/wait.ts'
import type { Speaker } from '../speaker.ts'
import { formatAmount } from '../ui/money.ts'

const SHOP = 'Trà Sữa Mây'
const TERMINAL = 'TILL-01'
const FIRST_AMOUNT = '50000'

/** The line from a token to a sentence, one step after another; each step is told in a line. */
export interface Story {
  /** From the login to the first payment that is heard. */
  firstPayment(): Promise<void>
  /** Another bill, shown and paid. */
  payAgain(): Promise<void>
}

/** `pauseMs`: for how long a person gets to look at a screen before the story goes on. */
export function createStory(
  partner: PartnerClient,
  speaker: Speaker,
  options: { tell: (line: string) => void; pauseMs: number; onToken?: (accessToken: string) => void },
): Story {
  const { tell, pauseMs } = options
  let storeId = ''
  let bills = 0

  async function register() {
    const shown = nextHappening(speaker, 'show a code', (it) => (it.event === 'code' ? it.code : undefined))
    await partner.sendVerification(speaker.serial)
    const code = await shown
    tell(`The speaker shows the code ${code}: only who stands before it can read it.`)
    await sleep(pauseMs)
    const registered = await partner.register({
      phoneNumber: '0901234567',
      deviceSerial: speaker.serial,
      storeName: SHOP,
      terminalID: TERMINAL,
      staticQRCode: staticQr(),
      verificationCode: code,
      ...BANK,
    })
    storeId = registered.storeId
    tell(`The partner registers the speaker with the code, for the shop "${SHOP}".`)
    await sleep(pauseMs)
  }

  async function pay(amount: string) {
    bills += 1
    const billNumber = `BILL-${bills}`
    if (speaker.snapshot().link !== 'welcomed') return payUnheard(billNumber, amount)
    const drawn = nextHappening(speaker, 'show the QR', (it) => (it.event === 'qr' ? it : undefined))
    await partner.dynamicQr({ storeId, billNumber, transactionAmount: amount })
    await drawn
    tell(`A dynamic QR for ${billNumber}, ${formatAmount(amount)}, is on the screen.`)
    await sleep(pauseMs)

    const spoken = nextHappening(speaker, 'speak', (it) => (it.event === 'announce' ? it : undefined))
    const played = nextHappening(speaker, 'finish speaking', (it) => (it.event === 'played' ? it : undefined))
    const ftCode = newFtCode()
    await report(ftCode, billNumber, amount)
    tell(`The speaker says: "${(await spoken).text}"`)
    await played
    await proveItPlayed(ftCode)
  }

  /** The money does not wait for the speaker: the callback is stored, and the news with it. */
  async function payUnheard(billNumber: string, amount: string) {
    await partner.dynamicQr({ storeId, billNumber, transactionAmount: amount })
    await report(newFtCode(), billNumber, amount)
    tell(
      `The speaker is offline: plug it in with x. Within 120 s it speaks ${formatAmount(amount)}, later it shows it as missed.`,
    )
  }

  async function report(ftCode: string, billNumber: string, amount: string) {
    const tookMs = await partner.callback({
      terminalID: TERMINAL,
      bankCode: BANK.bankCode,
      billNumber,
      transactionAmount: amount,
      notice: `Thanh toan ${billNumber}`,
      payDate: new Date().toISOString(),
      traceTransfer: String(randomInt(100_000, 1_000_000)),
      ftCode,
    })
    tell(`The processor's signed callback ${ftCode} is stored and answered in ${tookMs.toFixed(0)} ms.`)
  }

  async function proveItPlayed(ftCode: string) {
    const proven = await becomesTrue(async () => {
      const stages = await partner.stages(ftCode)
      return stages.some((one) => one.deviceSerial === speaker.serial && one.stage === 'played')
    })
    if (!proven) throw new Error('The hub has no proof that the payment was played.')
    tell('The hub has the proof: the announcement was played, once.')
  }

  return {
    async firstPayment() {
      const accessToken = await partner.logIn()
      options.onToken?.(accessToken)
      tell('The partner has its access token.')
      await register()
      await pay(FIRST_AMOUNT)
    },
    payAgain: () => pay(String(randomInt(10, 500) * 1_000)),
  }
}
