import { setTimeout as sleep } from 'node:timers/promises'
import { ANNOUNCEMENT_FRESH_MS } from '../../server/announcements/announcement.ts'
import { createPartner } from '../../server/partners/manage-partners.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import type { Storage } from '../../server/storage/ports.ts'
import { createShop } from '../server/storage/shop.ts'
import { MOST_PAYMENTS } from '../simulation/shop/payment.ts'
import type { OwnHub } from '../support/processes/own-hub.ts'
import { judge, type Verdict } from '../support/proof/judge.ts'
import { createProcessor, type Payment } from '../support/proof/processor.ts'
import { randomFrom } from '../support/random.ts'
import { type FlappingSpeaker, startFlappingSpeaker } from './flapping-speaker.ts'
import { countTold, type Told } from './told.ts'

export interface SoakOptions {
  speakers: number
  minutes: number
  /** Payments a second. */
  rate: number
  /** The number of kills of the hub, spread over the time. */
  kills: number
  seed: number
}

/** Longer than the freshness of an announcement and its ack timeout: by then every announcement has ended. */
const SETTLE_MS = 190_000
const TELL_EVERY_MS = 15_000
/** Of so many payments one begins a burst, before which the power fails. */
const BURST_EVERY = 40
const BURST = 5
/** From the end of a burst to the power cut, at most: some sentences. */
const CUT_WITHIN_MS = 3_000
/** A speaker that is connected for so long can speak all that waits for it. */
const LONG_ENOUGH_MS = 20_000

/**
 * Speakers whose network and power fail at random, payments at a steady rate, and a hub that is sometimes killed. At the
 * end, every payment was heard once and is stored as played, or was not heard, is stored as expired and was shown as
 * missed. Now and then several payments come to one speaker at once, and its power fails while some wait behind others.
 */
export async function runSoak(
  hub: OwnHub,
  storage: Storage,
  options: SoakOptions,
  say: (line: string) => void,
): Promise<Verdict & { told: Told; flaps: number; powerCuts: number; retries: number }> {
  if (options.rate * options.minutes * 60 > options.speakers * (MOST_PAYMENTS - BURST))
    throw new Error(
      `no speaker can tell more than ${MOST_PAYMENTS} payments apart: take more speakers, or a lower --rate`,
    )
  const random = randomFrom(options.seed)
  const ids = createRandomIds()
  const partner = await createPartner({ partners: storage.partners, clock: systemClock, ids }, 'Soak')
  const processor = await createProcessor({ base: hub.http, ...partner, random })

  const speakers = new Map<string, FlappingSpeaker>()
  const shop = createShop(storage)
  for (let number = 1; number <= options.speakers; number += 1) {
    const terminalID = `TILL-${number}`
    const linked = await shop.speaker(partner.clientId, terminalID, Date.now())
    speakers.set(terminalID, startFlappingSpeaker(linked, hub.mqtt, randomFrom(options.seed + number)))
  }
  say(`${speakers.size} speakers are switched on`)

  const reported: Payment[] = []
  const reports: Promise<number>[] = []
  const terminals = [...speakers.keys()]
  const startedAt = performance.now()
  const endsAt = startedAt + options.minutes * 60_000
  const nextKillAt = (done: number) => startedAt + ((done + 0.5) / options.kills) * (endsAt - startedAt)
  let killed = 0
  let toldAt = startedAt
  let bursting = ''
  const cuts: Promise<void>[] = []
  /** Of each terminal. Powers of two, so that the sum in a notice names its payments. */
  const counts = new Map(terminals.map((terminalID) => [terminalID, 0]))
  for (let count = 0; performance.now() < endsAt; count += 1) {
    const inBurst = count % BURST_EVERY < BURST
    const dueIn = startedAt + (count * 1000) / options.rate - performance.now()
    if (dueIn > 1 && !inBurst) await sleep(dueIn)
    const free = terminals.filter((one) => (counts.get(one) ?? 0) < MOST_PAYMENTS - BURST)
    const terminalID = inBurst && bursting ? bursting : (free[Math.floor(random() * free.length)] ?? '')
    if (!terminalID)
      throw new Error('no speaker can tell more payments apart: take more speakers, or a lower rate')
    bursting = inBurst ? terminalID : ''
    if (count % BURST_EVERY === BURST - 1)
      cuts.push(sleep(random() * CUT_WITHIN_MS).then(() => speakers.get(terminalID)?.cutPower()))
    const index = counts.get(terminalID) ?? 0
    counts.set(terminalID, index + 1)
    const payment = {
      ftCode: `FT${count}`,
      terminalID,
      amount: String(2 ** index),
      sentAt: 0,
      answeredAt: 0,
    }
    reported.push(payment)
    reports.push(processor.report(payment))
    if (killed < options.kills && performance.now() > nextKillAt(killed)) {
      killed += 1
      say('the hub is killed')
      await hub.killAndRestart()
    }
    if (performance.now() - toldAt > TELL_EVERY_MS) {
      toldAt = performance.now()
      say(`${reported.length} payments after ${Math.round((toldAt - startedAt) / 1000)} s`)
    }
  }

  const attempts = await Promise.all(reports)
  await Promise.all(cuts)
  say('no more payments; the speakers stay on the line')
  await Promise.all([...speakers.values()].map((one) => one.calm()))
  await sleep(SETTLE_MS)
  const verdict = await judge(
    storage,
    partner.clientId,
    reported,
    (terminalID) => speakers.get(terminalID)?.heard,
    ({ terminalID, answeredAt }) => {
      const onLineMs = speakers.get(terminalID)?.longestOnLine(answeredAt, answeredAt + ANNOUNCEMENT_FRESH_MS)
      return (onLineMs ?? 0) < LONG_ENOUGH_MS
    },
  )
  const told = countTold(reported, (terminalID) => speakers.get(terminalID))
  verdict.wrong.push(...processor.wrong, ...told.wrong)
  await Promise.all([...speakers.values()].map((one) => one.stop()))
  const flaps = [...speakers.values()].reduce((sum, one) => sum + one.flaps, 0)
  const powerCuts = [...speakers.values()].reduce((sum, one) => sum + one.powerCuts, 0)
  return { ...verdict, told, flaps, powerCuts, retries: attempts.reduce((sum, one) => sum + one - 1, 0) }
}
