import { setTimeout as sleep } from 'node:timers/promises'
import type { Payment } from '../../support/proof/processor.ts'
import type { Proven, Shop } from './world.ts'

/** The first amount. Each payment's amount is one higher, so a spoken amount identifies its payment. */
const FIRST_AMOUNT = 10_000
/** The limit of payments under way. More of them would only measure this process. */
const MOST_UNDER_WAY = 2_000
const LOOK_AGAIN_MS = 20

/** A stream of payments for random shops. Each is reported until it is answered. */
export interface PaymentStream {
  readonly reported: readonly Payment[]
  /** Ends the stream. Resolves with the number of retries when every payment is answered or given up. */
  stop(): Promise<number>
}

/** Makes the payments of a world. Each has a different amount. */
export interface Till {
  readonly reported: readonly Payment[]
  /** Reports one payment for a shop until it is answered. Resolves with the number of attempts. */
  pay(shop: Shop): Promise<number>
  /** Starts payments at a steady rate, whether or not earlier ones are answered, up to a limit. */
  stream(perSecond: number, shops?: readonly Shop[], mostUnderWay?: number): PaymentStream
  /** Starts callers. Each reports one payment after another without a pause. */
  crowd(callers: number): PaymentStream
}

export function openTill({ processor, shops: all, random }: Proven): Till {
  const reported: Payment[] = []

  function next({ terminalID }: Shop): Payment {
    const amount = String(FIRST_AMOUNT + reported.length)
    const payment = { ftCode: `FT${reported.length}`, terminalID, amount, sentAt: 0, answeredAt: 0 }
    reported.push(payment)
    return payment
  }

  function anyOf(shops: readonly Shop[]): Shop {
    const shop = shops[Math.floor(random() * shops.length)]
    if (!shop) throw new Error('payments need a shop')
    return shop
  }

  return {
    reported,
    pay: (shop) => processor.report(next(shop)),

    crowd(callers) {
      const mine: Payment[] = []
      const ended = new AbortController()
      async function call() {
        let retries = 0
        while (!ended.signal.aborted) {
          const payment = next(anyOf(all))
          mine.push(payment)
          retries += (await processor.report(payment)) - 1
        }
        return retries
      }
      const running = Promise.all(Array.from({ length: callers }, call))
      return {
        reported: mine,
        async stop() {
          ended.abort()
          return (await running).reduce((sum, retries) => sum + retries, 0)
        },
      }
    },

    stream(perSecond, shops = all, mostUnderWay = MOST_UNDER_WAY) {
      const mine: Payment[] = []
      const reports: Promise<number>[] = []
      const ended = new AbortController()
      const startedAt = performance.now()
      let underWay = 0
      const running = run()

      async function run() {
        while (!ended.signal.aborted) {
          const dueIn = startedAt + (mine.length * 1000) / perSecond - performance.now()
          if (underWay >= mostUnderWay) {
            await sleep(LOOK_AGAIN_MS)
            continue
          }
          // All payments that are due go out in one turn, up to a limit.
          if (dueIn > 0 || mine.length % 50 === 0) await sleep(Math.max(0, dueIn))
          const payment = next(anyOf(shops))
          mine.push(payment)
          underWay += 1
          reports.push(
            processor.report(payment).finally(() => {
              underWay -= 1
            }),
          )
        }
      }

      return {
        reported: mine,
        async stop() {
          ended.abort()
          await running
          const attempts = await Promise.all(reports)
          return attempts.reduce((sum, one) => sum + one - 1, 0)
        },
      }
    },
  }
}
