import type { BoxFault } from '../../simulator/boxes/core/faults.ts'
import { freePort } from '../../simulator/platform/free-port.ts'
import type { LinkedBox } from '../support/boxes.ts'
import { describeViolations } from '../support/proof/describe-violations.ts'
import { judge, judgeStored } from '../support/proof/judge.ts'
import { readRecord } from '../support/proof/record.ts'
import { waitUntil } from '../support/wait.ts'
import { type BoxEar, makeBoxes, partOf, switchOnBox, trailsOf, underWay } from './parts/boxes/boxes.ts'
import { type BoxDialectName, judgeBoxes } from './parts/boxes/judge-boxes.ts'
import { bringOnline } from './parts/ear.ts'
import { openTill } from './parts/payments.ts'
import { switchOnAll } from './parts/simulated.ts'
import { openWorld, type World } from './parts/world.ts'
import { type Figures, scenario } from './scenario.ts'

const SOON_MS = 120_000
const SETTLED_WITHIN_MS = 240_000
const SHOWN_WITHIN_MS = 60_000
const DIALECTS: readonly BoxDialectName[] = ['hemipay', 'oneway', 'alink']
/** One box of so many hears and says all, and confirms nothing. */
const SILENT_EACH = 25

/** kill -9 under speakers and boxes of other makers, some of which lose their power at the same moment. */
export const boxes = scenario({
  name: 'boxes',
  promise:
    'beside speakers that keep theirs, a hemipay box says a payment once or misses it, a oneway box says it once, or twice where the record says so, and an alink box once, or twice after it lost its power; none says it late or in another shop',
  scales: {
    quick: { speakers: 4, boxes: 24, perSecond: 20, times: 3, betweenKills: 25, deaths: 1, wait: 0.1 },
    full: { speakers: 100, boxes: 400, perSecond: 60, times: 9, betweenKills: 600, deaths: 4, wait: 1 },
  },
  async run({ speakers, boxes: count, perSecond, times, betweenKills, deaths, wait }, stage) {
    let made: LinkedBox[] = []
    const world = await openWorld(
      {
        shops: speakers,
        env: { HUB_BOX_PORT: String(await freePort()), HUB_BOX_HOST: '127.0.0.1' },
        makeMore: async (storage, clientId) => {
          made = await makeBoxes(storage, clientId, count)
        },
      },
      stage,
    )
    const { hub, history, random } = world
    const broken: string[] = []
    const waits = () => random() * wait
    const target = takeAim()
    const ears = made.map((linked, index) =>
      switchOnBox(hub.box ?? '', history, linked, { ...target, faults: faultsOf(index), random: waits }),
    )
    const all = [...switchOnAll(world, waits), ...ears]
    await bringOnline(all, SOON_MS, broken, stage)

    const shops = [...world.shops, ...made]
    const till = openTill(world)
    const stream = till.stream(perSecond, shops)
    const terminals = new Set(made.map(({ terminalID }) => terminalID))
    const hit = { hemipay: 0, oneway: 0, alink: 0 }
    let died = 0
    for (let killed = 1; killed <= times; killed += 1) {
      await waitUntil(() => history.answered() >= killed * betweenKills, SOON_MS)
      await target.killAt(DIALECTS[killed % DIALECTS.length] ?? 'alink', () => hub.kill())
      const counts = underWay(await trailsOf(world, terminals), made)
      for (const dialect of DIALECTS) hit[dialect] += counts[dialect]
      died += cutPower(ears, deaths)
      await hub.start()
      stage.say(
        `killed ${killed} times, ${till.reported.length} payments; under way ${JSON.stringify(counts)}`,
      )
    }
    await waitUntil(() => history.answered() >= (times + 1) * betweenKills, SOON_MS)
    await stream.stop()
    const proof = await proveBoth(world, ears, terminals)
    const missedHits = DIALECTS.filter((dialect) => hit[dialect] === 0)
    const unanswered = history.payments.length - history.answered()
    return {
      kind: 'done',
      did: `the hub was killed ${times} times under ${perSecond} payments/s for ${speakers} speakers and ${count} boxes; ${died} boxes lost their power`,
      figures: {
        ...proof.figures,
        ...Object.fromEntries(DIALECTS.map((dialect) => [`under way at a kill: ${dialect}`, hit[dialect]])),
        'repeats that a box did not say': ears.reduce((sum, { repeats }) => sum + repeats, 0),
      },
      broken: [
        ...broken,
        ...proof.broken,
        ...missedHits.map((dialect) => `no kill hit a payment of ${dialect} under way: it proves nothing`),
        ...(unanswered > 0 ? [`${unanswered} payments never got 200`] : []),
      ],
    }
  },
})

/**
 * Kills the hub at the moment at which a box of a dialect begins to speak. The kill comes before the PUBACK: a hub that
 * reads it would leave nothing under way.
 */
function takeAim() {
  let fire: (dialect: BoxDialectName) => void = () => undefined
  return {
    heard: ({ dialect }: LinkedBox) => fire(dialect),
    killAt: (aimed: BoxDialectName, kill: () => Promise<void>) =>
      new Promise<void>((resolve) => {
        fire = (dialect) => {
          if (dialect !== aimed) return
          fire = () => undefined
          resolve(kill())
        }
      }),
  }
}

function faultsOf(index: number): BoxFault[] {
  return index % SILENT_EACH === SILENT_EACH - 1 ? ['no-puback'] : []
}

/** Cuts the power of boxes that are just speaking, which report or remember what they say. Returns how many. */
function cutPower(ears: readonly BoxEar[], most: number): number {
  const chosen = ears
    .filter(({ isSounding, linked }) => isSounding && linked.dialect === 'alink')
    .slice(0, most)
  for (const ear of chosen) ear.die()
  return chosen.length
}

/** Waits until all announcements have ended. Judges speakers and boxes, each by their promises. */
async function proveBoth(world: World, ears: readonly BoxEar[], terminals: ReadonlySet<string>) {
  const { storage, history } = world
  const shops = [...world.shops, ...ears.map(({ linked }) => linked)]
  const isSettled = async () => (await storage.outbox.backlog()).open === 0
  await waitUntil(async () => (await isSettled()) && ears.every((ear) => !ear.isSounding), SETTLED_WITHIN_MS)
  const record = await readRecord({ ...world, shops })
  const ofSpeakers = () => {
    const { history: seen, record: kept } = partOf({ history, record }, (id) => !terminals.has(id))
    return judge(seen, kept)
  }
  await waitUntil(() => ofSpeakers().violations.every(({ kind }) => kind !== 'shown'), SHOWN_WITHIN_MS)
  const own = ofSpeakers()
  const part = partOf({ history, record }, (id) => terminals.has(id))
  const judged = ears.map(({ linked, hasDied }) => ({ ...linked, hasDied }))
  const { ledgers, violations } = judgeBoxes(part.history, judged, await trailsOf(world, terminals))
  const figures: Figures = { payments: history.payments.length, 'heard once': own.heardOnce }
  for (const dialect of DIALECTS)
    for (const [name, value] of Object.entries(ledgers[dialect])) figures[`${dialect}: ${name}`] = value
  const all = [...own.violations, ...violations, ...judgeStored(part.history, part.record)]
  return {
    figures: { ...figures, 'shown as missed': own.missed },
    broken: describeViolations(history, all),
  }
}
