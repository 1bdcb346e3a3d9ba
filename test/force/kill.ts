import { percentile } from '../support/percentile.ts'
import { waitUntil } from '../support/wait.ts'
import { bringOnline } from './parts/ear.ts'
import { openTill } from './parts/payments.ts'
import { prove, settle } from './parts/proof.ts'
import { switchOnAll } from './parts/simulated.ts'
import { openWorld } from './parts/world.ts'
import { scenario } from './scenario.ts'

const SOON_MS = 120_000

/** kill -9 under load: what a power cut does to the process. */
export const kill = scenario({
  name: 'kill',
  promise: 'every payment answered with 200 is on file once and heard once, however often the hub is killed',
  // `wait` is a factor of the protocol's backoff: speakers wait this share of it.
  scales: {
    quick: { speakers: 5, perSecond: 30, kills: 1, betweenKills: 20, wait: 0.1 },
    full: { speakers: 60, perSecond: 100, kills: 10, betweenKills: 500, wait: 1 },
  },
  async run({ speakers, perSecond, kills, betweenKills, wait }, stage) {
    const world = await openWorld({ shops: speakers }, stage)
    const { hub, history, random } = world
    const broken: string[] = []
    await bringOnline(
      switchOnAll(world, () => random() * wait),
      SOON_MS,
      broken,
      stage,
    )

    const till = openTill(world)
    const stream = till.stream(perSecond)
    const awayMs: number[] = []
    for (let killed = 1; killed <= kills; killed += 1) {
      await waitUntil(() => history.answered() >= killed * betweenKills, SOON_MS)
      const killedAt = performance.now()
      await hub.killAndRestart()
      awayMs.push(performance.now() - killedAt)
      stage.say(`killed ${killed} times, ${till.reported.length} payments`)
    }
    await waitUntil(() => history.answered() >= (kills + 1) * betweenKills, SOON_MS)
    await stream.stop()
    const settledMs = await settle(world)

    const proof = await prove(world)
    const delays = history.delays(till.reported)
    return {
      kind: 'done',
      did: `the hub was killed ${kills} times under ${perSecond} payments/s for ${speakers} speakers`,
      figures: {
        ...proof.figures,
        kills,
        'away at a kill, ms (longest)': Math.round(Math.max(...awayMs)),
        'callback to speech, ms (p50)': Math.round(percentile(delays, 0.5)),
        'callback to speech, ms (max)': Math.round(percentile(delays, 1)),
        'last heard after the last payment, ms': Math.round(settledMs ?? Number.NaN),
      },
      broken: [...broken, ...proof.broken],
    }
  },
})
