import { setTimeout as sleep } from 'node:timers/promises'
import { openTill } from '../force/parts/payments.ts'
import { type Proof, prove } from '../force/parts/proof.ts'
import { openWorld } from '../force/parts/world.ts'
import type { Stage } from '../force/scenario.ts'
import { randomFrom } from '../support/random.ts'
import { startFlappingSpeaker } from './flapping-speaker.ts'

export interface SoakOptions {
  speakers: number
  minutes: number
  /** Payments a second. */
  rate: number
  /** The number of kills of the hub, spread over the time. */
  kills: number
  seed: number
}

const TELL_EVERY_MS = 15_000
/** Of so many payments one begins a burst, before which the power fails. */
const BURST_EVERY = 40
const BURST = 5
/** From the end of a burst to the power cut, at most: some sentences. */
const CUT_WITHIN_MS = 3_000

/**
 * Speakers whose network and power fail at random, payments at a steady rate, and a hub that is sometimes killed. At the
 * end, every payment was heard once and is stored as played, or was not heard, is stored as expired and was shown as
 * missed. Now and then several payments come to one speaker at once, and its power fails while some wait behind others.
 */
export async function runSoak(
  { speakers: count, minutes, rate, kills, seed }: SoakOptions,
  { onEnd, say }: Stage,
): Promise<Proof> {
  const world = await openWorld({ shops: count, seed }, { onEnd })
  const { hub, history, random } = world
  const till = openTill(world)
  const flapping = world.shops.map((shop, index) => ({
    shop,
    speaker: startFlappingSpeaker(shop, hub.mqtt, randomFrom(seed + index + 1), history.note),
  }))
  const all = flapping.map(({ speaker }) => speaker)
  for (const one of all) onEnd(one.stop)
  say(`${count} speakers are switched on`)

  const reports: Promise<void>[] = []
  const cuts: Promise<void>[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + minutes * 60_000
  const nextKillAt = (done: number) => startedAt + ((done + 0.5) / kills) * (endsAt - startedAt)
  const anyone = () => flapping[Math.floor(random() * flapping.length)]
  let killed = 0
  let toldAt = startedAt
  let chosen = anyone()
  for (let paid = 0; performance.now() < endsAt; paid += 1) {
    const place = paid % BURST_EVERY
    const dueIn = startedAt + (paid * 1000) / rate - performance.now()
    if (dueIn > 1 && place >= BURST) await sleep(dueIn)
    if (place === 0 || place >= BURST) chosen = anyone()
    if (!chosen) throw new Error('a soak needs a speaker')
    const { shop, speaker } = chosen
    if (place === BURST - 1) cuts.push(sleep(random() * CUT_WITHIN_MS).then(speaker.cutPower))
    reports.push(till.pay(shop))
    if (killed < kills && performance.now() > nextKillAt(killed)) {
      killed += 1
      say('the hub is killed')
      await hub.killAndRestart()
    }
    if (performance.now() - toldAt > TELL_EVERY_MS) {
      toldAt = performance.now()
      say(`${till.reported.length} payments after ${Math.round((toldAt - startedAt) / 1000)} s`)
    }
  }

  await Promise.all([...reports, ...cuts])
  say('no more payments; the speakers stay on the line')
  await Promise.all(all.map((one) => one.calm()))
  const { figures, broken } = await prove(world)
  const sum = (of: 'flaps' | 'powerCuts') => all.reduce((total, one) => total + one[of], 0)
  return {
    figures: { ...figures, kills, flaps: sum('flaps'), 'power cuts in queues': sum('powerCuts') },
    broken,
  }
}
