import { percentile } from '../support/percentile.ts'
import { waitUntil } from '../support/wait.ts'
import { bringOnline } from './parts/ear.ts'
import { createLightSpeakers } from './parts/light-speaker.ts'
import { openFiles } from './parts/open-files.ts'
import { openTill } from './parts/payments.ts'
import { prove, settle } from './parts/proof.ts'
import { openWorld } from './parts/world.ts'
import { scenario } from './scenario.ts'

const SOON_MS = 180_000

/** A restart of the hub: all speakers reconnect, as after a deployment or a power cut. */
export const restart = scenario({
  name: 'restart',
  promise: 'after a restart all speakers come back by themselves, and hear every payment of the time',
  // `wait` is a factor of the protocol's backoff: speakers wait this share of it.
  scales: {
    quick: { speakers: 40, perSecond: 20, payments: 10, wait: 0.1 },
    full: { speakers: 10_000, perSecond: 100, payments: 500, wait: 1 },
  },
  async run({ speakers, perSecond, payments, wait }, stage) {
    const missing = openFiles(speakers)
    if (missing !== undefined) return { kind: 'skipped', why: missing }
    const world = await openWorld({ shops: speakers }, stage)
    const { hub, history, random } = world
    const lights = createLightSpeakers(world.shops, {
      ...{ url: hub.mqtt, note: history.note, random: () => random() * wait },
    })
    const broken: string[] = []
    const ears = await bringOnline(lights, SOON_MS, broken, stage)
    stage.say(`${speakers} speakers are on the line`)

    const till = openTill(world)
    const stream = till.stream(perSecond)
    await waitUntil(() => till.reported.length >= payments, SOON_MS)
    await hub.kill()
    const killedAt = performance.now()
    await waitUntil(() => ears.online() === 0, SOON_MS)
    await hub.start()
    const readyAt = performance.now()
    stage.say('the hub is killed, and ready again')
    const backMs = await ears.untilOnline(SOON_MS)
    if (backMs === undefined) broken.push(`only ${ears.online()} of ${speakers} speakers came back`)
    await waitUntil(() => till.reported.length >= 2 * payments, SOON_MS)
    await stream.stop()
    const settledMs = await settle(world)

    const proof = await prove(world)
    const back = lights.map((one) => one.welcomedAt - readyAt).toSorted((a, b) => a - b)
    return {
      kind: 'done',
      did: `the hub was killed and started under ${speakers} speakers and ${perSecond} payments/s`,
      figures: {
        ...proof.figures,
        speakers,
        'killed to the ready line, ms': Math.round(readyAt - killedAt),
        'back after the ready line, ms (p50)': Math.round(percentile(back, 0.5)),
        'back after the ready line, ms (p99)': Math.round(percentile(back, 0.99)),
        'back after the ready line, ms (all)': Math.round(percentile(back, 1)),
        'last heard after the last payment, ms': Math.round(settledMs ?? Number.NaN),
      },
      broken: [...broken, ...proof.broken],
    }
  },
})
