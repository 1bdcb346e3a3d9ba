import { setTimeout as sleep } from 'node:timers/promises'
import { startHubProcess } from '../../simulator/demo/hub-process.ts'
import { percentile } from '../support/percentile.ts'
import { createBenchPartner, openShop, type Shop } from './shop.ts'
import type { Figure } from './table.ts'

const SHOPS = 40
const RATE = 100
const PAYMENTS = 500

/** From a callback on its way to the sentence at the speaker, at a steady rate over many shops. */
export async function benchEndToEnd(): Promise<Figure[]> {
  const hub = await startHubProcess(process.env)
  try {
    const partner = await createBenchPartner(hub)
    const shops: Shop[] = []
    for (let number = 1; number <= SHOPS; number += 1) shops.push(await openShop(hub, partner, number))

    const sentAt = new Map<string, number>()
    const heardAfter: number[] = []
    const answeredAfter: number[] = []
    for (const { speaker } of shops)
      speaker.subscribe((item) => {
        if (item.kind !== 'happening' || item.happening.event !== 'announce') return
        const start = sentAt.get(item.happening.amount)
        if (start !== undefined) heardAfter.push(performance.now() - start)
      })

    const pending: Promise<void>[] = []
    const startedAt = performance.now()
    for (let count = 0; count < PAYMENTS; count += 1) {
      const dueIn = startedAt + (count * 1000) / RATE - performance.now()
      if (dueIn > 1) await sleep(dueIn)
      const shop = shops[count % shops.length]
      if (!shop) continue
      // Each payment is told from the others by its amount.
      const transactionAmount = String(10_000 + count)
      sentAt.set(transactionAmount, performance.now())
      pending.push(
        partner.client
          .callback({
            terminalID: shop.terminalID,
            bankCode: 'MB',
            billNumber: '',
            transactionAmount,
            notice: '',
            payDate: new Date().toISOString(),
            traceTransfer: String(count),
            ftCode: `FT${count}`,
          })
          .then((ms) => void answeredAfter.push(ms)),
      )
    }
    await Promise.all(pending)
    const until = performance.now() + 10_000
    while (heardAfter.length < PAYMENTS && performance.now() < until) await sleep(20)
    for (const { speaker } of shops) await speaker.stop()
    if (heardAfter.length !== PAYMENTS)
      throw new Error(`${heardAfter.length} of ${PAYMENTS} payments were heard`)
    return figures(answeredAfter, heardAfter)
  } finally {
    await hub.stop()
  }
}

function figures(answeredAfter: number[], heardAfter: number[]): Figure[] {
  const byTime = (a: number, b: number) => a - b
  const answered = answeredAfter.toSorted(byTime)
  const heard = heardAfter.toSorted(byTime)
  return [0.5, 0.99].map((share) => {
    const [value, peer] = [percentile(heard, share), percentile(answered, share)]
    return {
      what: `callback to speech at ${RATE}/s, ${SHOPS} speakers, p${share * 100}`,
      value: `${value.toFixed(1)} ms`,
      peer: 'its own 200',
      peerValue: `${peer.toFixed(1)} ms`,
      ratio: (value / peer).toFixed(2),
    }
  })
}
