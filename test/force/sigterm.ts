import { percentile } from '../support/percentile.ts'
import { waitUntil } from '../support/wait.ts'
import { bringOnline } from './parts/ear.ts'
import { openTill } from './parts/payments.ts'
import { prove, settle } from './parts/proof.ts'
import { switchOnAll } from './parts/simulated.ts'
import { openWorld } from './parts/world.ts'
import { scenario } from './scenario.ts'

const SOON_MS = 120_000
/** The hub drains for up to 10 s, and then closes. */
const ENDED_WITHIN_MS = 15_000

/** SIGTERM under load: what a deployment does. */
export const sigterm = scenario({
  name: 'sigterm',
  promise:
    'what was answered with 200 is stored, the rest is refused cleanly, and the hub exits 0 in its drain time',
  scales: {
    quick: { speakers: 5, callers: 4, rounds: 1, perRound: 40, endedWithinMs: Number.POSITIVE_INFINITY },
    full: { speakers: 40, callers: 64, rounds: 5, perRound: 2_000, endedWithinMs: ENDED_WITHIN_MS },
  },
  async run({ speakers, callers, rounds, perRound, endedWithinMs }, stage) {
    const world = await openWorld({ shops: speakers }, stage)
    const { hub, history } = world
    const broken: string[] = []
    await bringOnline(switchOnAll(world), SOON_MS, broken, stage)

    const till = openTill(world)
    const crowd = till.crowd(callers)
    const drains: number[] = []
    for (let round = 1; round <= rounds; round += 1) {
      await waitUntil(() => history.answered() >= round * perRound, SOON_MS)
      const { code, ms } = await hub.terminate()
      drains.push(ms)
      if (code !== 0) broken.push(`the hub exited with ${code}: ${hub.complaints()}`)
      if (ms > endedWithinMs) broken.push(`the hub took ${Math.round(ms)} ms to end`)
      await hub.start()
      stage.say(`asked to end ${round} times, ${history.answered()} payments`)
    }
    await waitUntil(() => history.answered() >= (rounds + 1) * perRound, SOON_MS)
    await crowd.stop()
    const settledMs = await settle(world)

    const proof = await prove(world)
    const rising = drains.toSorted((a, b) => a - b)
    return {
      kind: 'done',
      did: `SIGTERM ${rounds} times under ${callers} callers that never pause, ${speakers} speakers`,
      figures: {
        ...proof.figures,
        'SIGTERM to exit, ms (median)': Math.round(percentile(rising, 0.5)),
        'SIGTERM to exit, ms (longest)': Math.round(percentile(rising, 1)),
        'last heard after the last payment, ms': Math.round(settledMs ?? Number.NaN),
      },
      broken: [...broken, ...proof.broken],
    }
  },
})
