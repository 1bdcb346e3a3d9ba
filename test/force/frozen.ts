import { monitorEventLoopDelay } from 'node:perf_hooks'
import { percentile } from '../support/percentile.ts'
import { timeUntil, waitUntil } from '../support/wait.ts'
import { bringOnline } from './parts/ear.ts'
import { createLightSpeakers, type LightSpeaker } from './parts/light-speaker.ts'
import { readMetrics } from './parts/metrics.ts'
import { openFiles } from './parts/open-files.ts'
import { openTill, type Till } from './parts/payments.ts'
import { prove, settle } from './parts/proof.ts'
import { openWorld, type Shop, type World } from './parts/world.ts'
import { type Figures, scenario } from './scenario.ts'

const SOON_MS = 100_000
/** The shortest that sb/1 1.3 allows. The broker closes after one and a half (MQTT 3.1.1, 3.1.2.10). */
const KEEPALIVE_S = 15
/** Payments for frozen speakers, per second. Their announcements wait. */
const NEWS_PER_SECOND = 5
/** The allowed factor on the healthy speakers' latency, and a tolerance. The time for which a process stood still is added. */
const SLOWER = { times: 2, andMs: 250 }
/** The allowed growth of the hub's memory. It is working, and garbage is collected late. */
const MOST_GROWTH_BYTES = 200 * 1024 * 1024

interface Size {
  speakers: number
  perSecond: number
  /** Payments for the healthy speakers that a figure is taken from. */
  payments: number
  /** The number of frozen speakers in each round. */
  rounds: readonly number[]
  /** Whether they stay frozen until the hub has closed their connections. */
  untilDropped: boolean
}

interface Town extends Pick<Size, 'perSecond' | 'payments' | 'untilDropped'> {
  world: World
  till: Till
  lights: readonly LightSpeaker[]
  /** The shops whose speakers are never frozen. */
  healthy: readonly Shop[]
}

/** One speaker stops reading with its connection open, among a thousand healthy ones. */
export const frozen = scenario<Size>({
  name: 'frozen',
  promise:
    'a speaker that hangs costs the others nothing and the hub little; it is dropped, and hears its news when it is back in time',
  scales: {
    quick: { speakers: 20, perSecond: 40, payments: 30, rounds: [1], untilDropped: false },
    full: { speakers: 1_000, perSecond: 100, payments: 2_000, rounds: [1, 50], untilDropped: true },
  },
  async run({ speakers, rounds, ...size }, stage) {
    const missing = openFiles(speakers)
    if (missing !== undefined) return { kind: 'skipped', why: missing }
    const world = await openWorld({ shops: speakers }, stage)
    const { hub, random } = world
    const lights = createLightSpeakers(world.shops, {
      ...{ url: hub.mqtt, note: world.history.note, random, keepaliveS: KEEPALIVE_S },
    })
    const broken: string[] = []
    await bringOnline(lights, SOON_MS, broken, stage)

    const healthy = world.shops.slice(Math.max(...rounds))
    const town: Town = { world, till: openTill(world), lights, healthy, ...size }
    // The first payments run code that is not compiled yet, so they are not measured.
    await speechDelays(town)
    const alone = await speechDelays(town)
    const figures = delayFigures('alone', alone)
    for (const count of rounds) {
      const round = await freezeSome(town, count, percentile(alone, 0.99))
      broken.push(...round.broken)
      Object.assign(figures, round.figures)
      stage.say(`${count} were frozen`)
    }

    await settle(world)
    const proof = await prove(world)
    return {
      kind: 'done',
      did: `${rounds.join(', then ')} of ${speakers} speakers read no more, under ${size.perSecond} payments/s for the others`,
      figures: { ...proof.figures, ...figures },
      broken: [...broken, ...proof.broken],
    }
  },
})

/** Sorted times from callback to speech of some payments for healthy speakers. */
async function speechDelays({
  world: { history },
  till,
  healthy,
  perSecond,
  payments,
}: Town): Promise<number[]> {
  const stream = till.stream(perSecond, healthy)
  await waitUntil(() => stream.reported.length >= payments, SOON_MS)
  await stream.stop()
  await waitUntil(() => history.haveHeard(stream.reported), SOON_MS)
  return history.delays(stream.reported)
}

/** Freezes the first speakers, measures the others, and thaws the frozen ones. */
async function freezeSome(town: Town, count: number, p99Alone: number) {
  const { world, till, lights, untilDropped } = town
  const broken: string[] = []
  const hung = lights.slice(0, count)
  const before = await readMetrics(world.hub)
  const ownDelay = monitorEventLoopDelay()
  ownDelay.enable()
  const frozenAt = performance.now()
  for (const speaker of hung) speaker.freeze()
  const news = till.stream(NEWS_PER_SECOND, world.shops.slice(0, count))
  const beside = await speechDelays(town)
  await news.stop()
  const after = await readMetrics(world.hub)
  ownDelay.disable()
  const stoodStillMs = ownDelay.max / 1e6 + 1_000 * after('nodejs_eventloop_lag_max_seconds')
  const isDropped = async () =>
    (await readMetrics(world.hub))('hub_devices_connected') === lights.length - count
  if (untilDropped && !(await waitUntil(isDropped, SOON_MS))) broken.push(`${count} frozen were not dropped`)
  const droppedMs = performance.now() - frozenAt

  for (const speaker of hung) speaker.thaw()
  const heardMs = await timeUntil(() => world.history.haveHeard(news.reported), SOON_MS)
  if (heardMs === undefined) broken.push(`${count} were frozen, and have not heard all of their news`)
  const memory = 'process_resident_memory_bytes'
  const growth = after(memory) - before(memory)
  if (growth > MOST_GROWTH_BYTES) broken.push(`the hub grew by ${growth} bytes beside ${count} frozen`)
  const p99 = percentile(beside, 0.99)
  if (p99 > p99Alone * SLOWER.times + SLOWER.andMs + stoodStillMs)
    broken.push(`beside ${count} frozen the others wait ${Math.round(p99)} ms (p99)`)
  const figures: Figures = {
    ...delayFigures(`beside ${count} frozen`, beside),
    [`beside ${count} frozen: the hub grew by, MB`]: Math.round(growth / 1024 / 1024),
    [`beside ${count} frozen: payments for them`]: news.reported.length,
    ...(untilDropped && { [`${count} frozen: all dropped after, ms`]: Math.round(droppedMs) }),
    [`${count} back: all news heard after, ms`]: Math.round(heardMs ?? Number.NaN),
  }
  return { broken, figures }
}

function delayFigures(when: string, delays: readonly number[]): Figures {
  return {
    [`${when}: callback to speech, ms (p50)`]: Math.round(percentile(delays, 0.5)),
    [`${when}: callback to speech, ms (p99)`]: Math.round(percentile(delays, 0.99)),
  }
}
