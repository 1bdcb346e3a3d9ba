import { percentile } from '../support/percentile.ts'
import { waitUntil } from '../support/wait.ts'
import { gatherEars } from './parts/ear.ts'
import { createLightSpeakers } from './parts/light-speaker.ts'
import { readMetrics } from './parts/metrics.ts'
import { openFiles } from './parts/open-files.ts'
import { openTill } from './parts/payments.ts'
import { prove, settle } from './parts/proof.ts'
import { openWorld } from './parts/world.ts'
import { scenario } from './scenario.ts'

const SOON_MS = 300_000
/** The limit of memory for a connection, garbage included. Ten thousand connections then take two gigabytes. */
const MOST_BYTES_EACH = 200 * 1024

/** Ten thousand connections at once: a town whose power comes back. */
export const storm = scenario({
  name: 'storm',
  promise: 'all speakers that connect at once are welcomed, and each then hears its payments',
  scales: {
    quick: { speakers: 100, perSecond: 40, payments: 20 },
    full: { speakers: 10_000, perSecond: 100, payments: 3_000 },
  },
  async run({ speakers, perSecond, payments }, stage) {
    const missing = openFiles(speakers)
    if (missing !== undefined) return { kind: 'skipped', why: missing }
    const world = await openWorld({ shops: speakers }, stage)
    const { hub, history, random } = world
    const lights = createLightSpeakers(world.shops, { url: hub.mqtt, note: history.note, random })
    const ears = gatherEars(lights)
    stage.onEnd(() => ears.stop())
    const before = await readMetrics(hub)

    const startedAt = performance.now()
    for (const speaker of lights) speaker.start()
    const onlineMs = await ears.untilOnline(SOON_MS)
    stage.say(`${ears.online()} of ${speakers} speakers are on the line`)
    // The hub computes its figures once a second.
    const isCounted = async () => (await readMetrics(hub))('hub_devices_connected') === ears.online()
    await waitUntil(isCounted, SOON_MS)
    const after = await readMetrics(hub)
    const broken: string[] = []
    if (onlineMs === undefined) broken.push(`only ${ears.online()} of ${speakers} speakers came on the line`)
    if (after('hub_devices_connected') !== ears.online())
      broken.push(`the hub counts ${after('hub_devices_connected')} speakers`)
    const lost = lights.filter((one) => one.sessions > 1).length
    const memory = 'process_resident_memory_bytes'
    const bytesEach = (after(memory) - before(memory)) / speakers

    const till = openTill(world)
    const stream = till.stream(perSecond)
    await waitUntil(() => till.reported.length >= payments, SOON_MS)
    await stream.stop()
    await settle(world)
    const rest = await readMetrics(hub)
    const proof = await prove(world)
    const delays = history.delays(till.reported)
    const welcomed = lights.map((one) => one.welcomedAt - startedAt).toSorted((a, b) => a - b)
    if (speakers >= 1_000 && bytesEach > MOST_BYTES_EACH)
      broken.push(`a connection takes ${Math.round(bytesEach / 1024)} kB of the hub's memory`)
    return {
      kind: 'done',
      did: `${speakers} speakers connected at once, then ${perSecond} payments/s for them`,
      figures: {
        ...proof.figures,
        speakers,
        'all welcomed after, ms': Math.round(onlineMs ?? Number.NaN),
        'welcomed after, ms (p50)': Math.round(percentile(welcomed, 0.5)),
        'welcomed a second': Math.round(speakers / ((onlineMs ?? Number.NaN) / 1000)),
        'speakers that had to connect again': lost,
        'hub memory, MB': Math.round(after(memory) / 1024 / 1024),
        'hub memory a connection, kB': Math.round(bytesEach / 1024),
        'hub event loop delay in the storm, ms (p99)': ms(after('nodejs_eventloop_lag_p99_seconds')),
        'hub event loop delay in the storm, ms (max)': ms(after('nodejs_eventloop_lag_max_seconds')),
        'hub event loop delay under payments, ms (p99)': ms(rest('nodejs_eventloop_lag_p99_seconds')),
        'callback to speech, ms (p50)': Math.round(percentile(delays, 0.5)),
        'callback to speech, ms (p99)': Math.round(percentile(delays, 0.99)),
      },
      broken: [...broken, ...proof.broken],
    }
  },
})

function ms(seconds: number): number {
  return Math.round(seconds * 1000)
}
