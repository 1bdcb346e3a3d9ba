import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { compare, inTurn, speedsOf } from '../parts/in-turn.ts'
import { load } from '../parts/load/load.ts'
import { callbacksTo, type Market } from '../parts/market.ts'
import { type Figure, perSecond } from '../parts/table.ts'
import { type Ground, openHubs } from './ground.ts'

const HUBS = 3
const WITHOUT = fileURLToPath(new URL('./hub-without-wakeups.ts', import.meta.url))

export const WAKEUPS = { shops: 500, warmUpSeconds: 3, seconds: 2, rounds: 9 }

/**
 * Durable callbacks of three hubs as fast as they are answered, each with a wake-up that the two other hubs hear,
 * compared with hubs that send none. The speakers are at a fourth hub, so that the wake-ups alone differ.
 */
export async function benchWakeups(ground: Ground, work = WAKEUPS): Promise<Figure[]> {
  const opened = new AsyncDisposableStack()
  try {
    const shops = ground.shops.slice(0, work.shops)
    const openTarget = async (main?: string) => {
      const url = await ground.database()
      await giveAway(url)
      const hubs = await openHubs({ ...ground, shops }, url, opened, HUBS, main === undefined ? {} : { main })
      const [first, ...others] = hubs
      return { hubs, target: callbacksTo(first, others) }
    }
    const waking = await openTarget()
    const silent = await openTarget(WITHOUT)
    for (const { target } of [waking, silent]) await load(target, { duration: work.warmUpSeconds })
    const pairs = await inTurn(
      work.rounds,
      () => load(waking.target, { duration: work.seconds }),
      () => load(silent.target, { duration: work.seconds }),
    )
    const [heard, unheard] = [await heardBy(waking.hubs), await heardBy(silent.hubs)]
    if (heard === 0 || unheard > 0)
      throw new Error(`${heard} wake-ups were heard, and ${unheard} without them`)
    const what = `durable callbacks of ${HUBS} hubs, a wake-up for each`
    return compare(what, 'without wake-ups', speedsOf(pairs), perSecond, 'at least 0.97')
  } finally {
    await opened.disposeAsync()
  }
}

/** A hub that does not run owns all devices. */
async function giveAway(url: string) {
  const client = new Client(url)
  await client.connect()
  await client.query("UPDATE device_state SET session_id = '0123456789abcdef', hub = 'another'")
  await client.end()
}

async function heardBy(hubs: readonly Market[]): Promise<number> {
  const figures = await Promise.all(
    hubs.map(({ figure }) => figure('hub_wakeups_total{kind="news",direction="heard"}')),
  )
  return figures.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0)
}
