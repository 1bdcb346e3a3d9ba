import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ANNOUNCEMENT_FRESH_MS } from '../../server/announcements/announcement.ts'
import { percentile } from '../support/percentile.ts'
import type { Payment, Times } from '../support/proof/history.ts'
import { waitUntil } from '../support/wait.ts'
import { bringOnline } from './parts/ear.ts'
import { openTill } from './parts/payments.ts'
import { prove, settle } from './parts/proof.ts'
import { switchOnSimulated } from './parts/simulated.ts'
import { openWorld, type Shop, type World } from './parts/world.ts'
import { scenario } from './scenario.ts'

const HUB = fileURLToPath(new URL('./parts/hub-with-settable-clock.ts', import.meta.url))
const SOON_MS = 60_000
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
/** A small step moves an announcement's expiry by this much, plus one second of rounding. */
const LATE_BY_MS = 6_000
/** Shorter than the patience of a processor. */
const PUT_OFF_MS = 10_000

/** The clock is set. Moments are of `performance.now()`. */
interface Jump {
  byMs: number
  at: number
  /** What is reported after this moment has to be heard. */
  until: number
}

/** Retention would delete everything under a clock that is a hundred days ahead. */
const KEEPS_SHORT = { HUB_KEEP_PAYMENTS_DAYS: '90', HUB_KEEP_EVENTS_DAYS: '30' }

interface Size {
  speakers: number
  perSecond: number
  /** Payments between two jumps. */
  payments: number
  /** The steps of the clock, one after the other. */
  settings: readonly number[]
  /** How long a clock that is days off stays so, milliseconds: retention begins a pass each minute. */
  holdMs: number
}

/** The hub's clock is set, forward and back, while payments stream in. */
export const clock = scenario<Size>({
  name: 'clock',
  promise:
    'a clock that is set forward or back doubles nothing, speaks nothing late as if it were new, and silences nobody',
  scales: {
    quick: { speakers: 4, perSecond: 20, payments: 15, settings: [HOUR_MS, 0], holdMs: 0 },
    full: {
      speakers: 40,
      perSecond: 50,
      payments: 500,
      settings: [
        30_000,
        0,
        -30_000,
        0,
        HOUR_MS,
        0,
        -HOUR_MS,
        0,
        DAY_MS,
        0,
        -DAY_MS,
        0,
        100 * DAY_MS,
        0,
        -400 * DAY_MS,
        0,
      ],
      holdMs: 70_000,
    },
  },
  async run({ speakers, perSecond, payments, settings, holdMs }, stage) {
    const world = await openWorld(
      { shops: speakers + 1, launch: [process.execPath, HUB], env: KEEPS_SHORT },
      stage,
    )
    const { hub, history } = world
    const [away, ...present] = world.shops
    if (!away) throw new Error('a world has the shops that it was asked for')
    const broken: string[] = []
    const ears = await bringOnline(
      present.map((shop) => switchOnSimulated(world, shop)),
      SOON_MS,
      broken,
      stage,
    )

    const till = openTill(world)
    const stream = till.stream(perSecond, present)
    await waitUntil(() => stream.reported.length >= payments, SOON_MS)
    let atMs = 0
    const jumps: Jump[] = []
    for (const setByMs of settings) {
      const before = till.reported.length
      await till.pay(away)
      jumps.push({ byMs: setByMs - atMs, at: performance.now(), until: Number.POSITIVE_INFINITY })
      hub.send({ setByMs })
      atMs = setByMs
      // A payment of now seems to be days ahead: it gets 503 until the clock is right.
      if (setByMs < -DAY_MS) {
        await setTimeout(PUT_OFF_MS)
        hub.send({ setByMs: 0 })
        atMs = 0
      }
      await waitUntil(() => till.reported.length >= before + payments, SOON_MS)
      const connected = async () => (await whoIsConnected(world, present)).every((one) => one === true)
      if (!(await waitUntil(connected, SOON_MS)))
        broken.push(`with the clock ${setByMs} ms off not all speakers are called connected`)
      // From here on, every speaker must speak each payment.
      for (const one of jumps) one.until = Math.min(one.until, performance.now())
      await Promise.all(present.map((shop) => till.pay(shop)))
      if (setByMs > DAY_MS) await setTimeout(holdMs)
      stage.say(`the clock is ${setByMs} ms off, ${till.reported.length} payments`)
    }
    await stream.stop()
    const last = switchOnSimulated(world, away)
    stage.onEnd(() => last.stop())
    await waitUntil(() => last.online, SOON_MS)
    await settle(world)

    const mayBeMissed = (payment: Payment) =>
      payment.terminalID === away.terminalID ||
      jumps.some((jump) => wasUnderWay(history.times(payment), jump))
    const proof = await prove(world, { mayBeMissed })
    const slowest = percentile(history.delays(till.reported), 1)
    if (slowest > ANNOUNCEMENT_FRESH_MS + LATE_BY_MS) broken.push(`spoken as new after ${slowest} ms`)
    const delays = history.delays(stream.reported)
    return {
      kind: 'done',
      did: `the clock was set ${settings.length} times, by up to ${Math.max(...jumps.map(({ byMs }) => Math.abs(byMs))) / HOUR_MS} hours, under ${perSecond} payments/s for ${speakers} speakers`,
      figures: {
        ...proof.figures,
        'clock set, times': settings.length,
        'sessions lost': ears.all.reduce((sum, ear) => sum + ear.sessions - 1, 0),
        'callback to speech, ms (p50)': Math.round(percentile(delays, 0.5)),
        'callback to speech, ms (max)': Math.round(percentile(delays, 1)),
      },
      broken: [...broken, ...proof.broken],
    }
  },
})

function whoIsConnected({ processor }: World, shops: readonly Shop[]) {
  return Promise.all(shops.map(({ serial }) => processor.isConnected(serial)))
}

/** A payment that was fresh and not yet spoken when the clock was set may end as missed: its age is unknown then. */
function wasUnderWay({ asked = 0, answered = 0 }: Times, { at, until }: Jump): boolean {
  return at - ANNOUNCEMENT_FRESH_MS < answered && asked < until
}
