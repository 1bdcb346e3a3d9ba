import type { Clock } from '../../../platform/clock.ts'
import { askAbout, outcomeOf } from '../../fleet/pay/unheard.ts'
import type { Cluster } from './cluster.ts'

/** A payment is spoken within 120 s or not at all. After this age the hubs are asked what became of it. */
const OVER_AFTER_MS = 125_000
/** While the cluster settles, the hubs are asked about younger payments, too. */
const SETTLING_AFTER_MS = 5_000
const LOOK_EVERY_MS = 500
const ASK_EVERY_MS = 2_000

/** Reports what changes in a cluster, and judges the payments whose time is over. Returns a function that ends it. */
export function watchCluster(cluster: Cluster, clock: Clock, log: (line: string) => void): () => void {
  const { accounts, hubs } = cluster
  let cancel = () => {}
  let askedAtMs = 0
  /** Since when a hub has been ready without a break. */
  let readySinceMs = clock.now()
  let isAsking = false
  let wasWhole = false
  let alarms = 0

  function look() {
    const nowMs = clock.now()
    accounts.ledger.forget(nowMs)
    if (!hubs.some((_, hub) => cluster.line?.balancer.isReady(hub))) readySinceMs = nowMs
    reportWhole()
    reportAlarms()
    if (!isAsking && nowMs >= askedAtMs + ASK_EVERY_MS) void ask(nowMs)
    cancel = clock.wakeAt(nowMs + LOOK_EVERY_MS, look)
  }

  function reportWhole() {
    const { isWhole, speakers } = cluster
    if (isWhole === wasWhole) return
    wasWhole = isWhole
    if (!isWhole) return
    const places = cluster.places()
    const parts = hubs.map(({ name }, hub) => `${places.filter((one) => one === hub).length} to ${name}`)
    log(`All ${speakers} speakers are connected: ${parts.join(', ')}.`)
  }

  function reportAlarms() {
    const { lost, doubled } = accounts.figures()
    if (lost + doubled > alarms) log(`BROKEN: ${lost} payments lost, ${doubled} doubled.`)
    alarms = lost + doubled
  }

  /** What no hub answers is asked again later. */
  async function ask(nowMs: number) {
    const { line, phase } = cluster
    if (!line) return
    isAsking = true
    askedAtMs = nowMs
    const ageMs = phase === 'settling' ? SETTLING_AFTER_MS : OVER_AFTER_MS
    await askAbout(accounts.open(nowMs, ageMs), async (payment) => {
      const outcome = await outcomeOf(line.client, payment, nowMs, readySinceMs).catch(() => undefined)
      // A cluster has no boxes of other makers, which alone end as delivered.
      if (outcome) accounts.judged(payment, outcome.is === 'missed' ? 'missed' : 'lost')
    })
    isAsking = false
  }

  look()
  return () => cancel()
}
