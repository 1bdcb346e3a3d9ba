import { setTimeout as sleep } from 'node:timers/promises'
import type { Payment } from '../../support/proof/history.ts'
import type { Proven, Shop } from './world.ts'

/** The first amount. Each payment's amount is one higher, so a spoken amount identifies its payment. */
const FIRST_AMOUNT = 10_000
/** The limit of payments under way. More of them would only measure this process. */
const MOST_UNDER_WAY = 2_000
const LOOK_AGAIN_MS = 20

/** A shop, as far as it is paid. */
type Paid = Pick<Shop, 'terminalID'>

/** A stream of payments. Each is reported until it is answered. */
export interface PaymentStream {
  readonly reported: readonly Payment[]
  /** Ends the stream. Resolves when every payment is answered or given up. */
  stop(): Promise<void>
}

/** Makes the payments of a world. Each has a different amount. */
export interface Till {
  readonly reported: readonly Payment[]
  /** Reports one payment for a shop until it is answered. */
  pay(shop: Paid): Promise<void>
  /** Starts payments at a steady rate, whether or not earlier ones are answered, up to a limit. */
  stream(perSecond: number, shops?: readonly Paid[], mostUnderWay?: number): PaymentStream
  /** Starts callers. Each reports one payment after another without a pause. */
  crowd(callers: number): PaymentStream
}

export function openTill({ processor, history, shops: all, random }: Proven): Till {
  const { payments: reported } = history

  function report({ terminalID }: Paid, mine: Payment[] = []): Promise<void> {
    const amount = String(FIRST_AMOUNT + reported.length)
    const payment = { ftCode: `FT${reported.length}`, terminalID, amount }
    mine.push(payment)
    return processor.report(payment)
  }

  function anyOf(shops: readonly Paid[]): Paid {
    const shop = shops[Math.floor(random() * shops.length)]
    if (!shop) throw new Error('payments need a shop')
    return shop
  }

  return {
    reported,
    pay: (shop) => report(shop),

    crowd(callers) {
      const mine: Payment[] = []
      const ended = new AbortController()
      async function call() {
        while (!ended.signal.aborted) await report(anyOf(all), mine)
      }
      const running = Promise.all(Array.from({ length: callers }, call))
      return {
        reported: mine,
        async stop() {
          ended.abort()
          await running
        },
      }
    },

    stream(perSecond, shops: readonly Paid[] = all, mostUnderWay = MOST_UNDER_WAY) {
      const mine: Payment[] = []
      const underWay = new Set<Promise<void>>()
      const ended = new AbortController()
      const startedAt = performance.now()
      const running = run()

      async function run() {
        while (!ended.signal.aborted) {
          const dueIn = startedAt + (mine.length * 1000) / perSecond - performance.now()
          if (underWay.size >= mostUnderWay) {
            await sleep(LOOK_AGAIN_MS)
            continue
          }
          // All payments that are due go out in one turn, up to a limit.
          if (dueIn > 0 || mine.length % 50 === 0) await sleep(Math.max(0, dueIn))
          const payment = report(anyOf(shops), mine).finally(() => underWay.delete(payment))
          underWay.add(payment)
        }
      }

      return {
        reported: mine,
        async stop() {
          ended.abort()
          await running
          await Promise.all(underWay)
        },
      }
    },
  }
}
