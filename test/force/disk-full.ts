import type { Payment } from '../support/proof/history.ts'
import { timeUntil, waitUntil } from '../support/wait.ts'
import { bringOnline } from './parts/ear.ts'
import { openTill } from './parts/payments.ts'
import { prove, settle } from './parts/proof.ts'
import { switchOnAll } from './parts/simulated.ts'
import { limitedFiles, type SmallDisk, tmpfsDisk } from './parts/small-disk.ts'
import { openWorld, type World } from './parts/world.ts'
import { type Outcome, type Stage, scenario } from './scenario.ts'

const SOON_MS = 120_000
const PROMISE =
  'a hub that can write nothing says 503 and why, still reads, and goes on when there is room; what it counts it has answered'

interface Size {
  speakers: number
  perSecond: number
  /** 503s to wait for before room is made. */
  refusals: number
}

const scales: Record<'quick' | 'full', Size> = {
  quick: { speakers: 4, perSecond: 60, refusals: 10 },
  full: { speakers: 40, perSecond: 100, refusals: 2_000 },
}

/** The disk is full: a file system without room. */
export const diskFull = scenario({
  name: 'disk-full',
  promise: PROMISE,
  scales,
  run: (size, stage) => fillUp(size, tmpfsDisk(stage), stage),
})

/** The same without root: a limit on the size of files. */
export const fileLimit = scenario({
  name: 'file-limit',
  promise: PROMISE,
  scales,
  run: (size, stage) => fillUp(size, limitedFiles(stage), stage),
})

async function fillUp(size: Size, disk: SmallDisk | { missing: string }, stage: Stage): Promise<Outcome> {
  if ('missing' in disk) return { kind: 'skipped', why: disk.missing }
  const { speakers, perSecond, refusals } = size
  const world = await openWorld({ shops: speakers, dataDir: disk.dataDir }, stage)
  const { hub, history } = world
  const broken: string[] = []
  const ears = await bringOnline(switchOnAll(world), SOON_MS, broken, stage)

  const till = openTill(world)
  await Promise.all(world.shops.map((shop) => till.pay(shop)))
  await waitUntil(async () => (await world.storage.outbox.backlog()).open === 0, SOON_MS)
  disk.fill(hub)
  const [busy, quiet] = halves(world.shops)
  const stream = till.stream(perSecond, busy)
  const refused = () => history.answers().get(503) ?? 0
  await waitUntil(() => refused() > 0, SOON_MS)
  const answeredBefore = history.answers().get(200) ?? 0
  if (!(await waitUntil(() => refused() >= refusals, SOON_MS)))
    broken.push(`there were only ${refused()} refusals`)
  broken.push(...(await wrongWhileFull(world, till.reported)))
  const wereOnline = ears.online()
  // The hub closes the connection of a speaker whose ack it can't store, so that the ack is sent again.
  for (const { terminalID } of quiet) {
    const ear = ears.of(terminalID)
    if (ear?.sessions !== 1 || !ear.online)
      broken.push(`the quiet speaker of ${terminalID} has lost its session`)
  }
  stage.say(`the disk is full: ${refused()} refusals, ${wereOnline} of ${speakers} speakers on the line`)
  const answeredFull = (history.answers().get(200) ?? 0) - answeredBefore

  disk.makeRoom(hub)
  const readyMs = await timeUntil(async () => (await fetch(`${hub.http}/readyz`)).ok, SOON_MS)
  if (readyMs === undefined) broken.push('the hub was not ready again')
  await stream.stop()
  const onlineMs = await ears.untilOnline(SOON_MS)
  if (onlineMs === undefined) broken.push('not all speakers came back')
  const settledMs = await settle(world)

  const proof = await prove(world)
  return {
    kind: 'done',
    did: `${disk.how}, under ${perSecond} payments/s for ${speakers} speakers`,
    figures: {
      ...proof.figures,
      'answered 200 after the first 503, while full': answeredFull,
      'speakers on the line while full': `${wereOnline} of ${speakers}`,
      'room made to ready, ms': Math.round(readyMs ?? Number.NaN),
      'room made to all speakers on the line, ms': Math.round(onlineMs ?? Number.NaN),
      'last heard after the last payment, ms': Math.round(settledMs ?? Number.NaN),
    },
    broken: [...broken, ...proof.broken],
  }
}

function halves<T>(all: readonly T[]): [T[], T[]] {
  const half = Math.ceil(all.length / 2)
  return [all.slice(0, half), all.slice(half)]
}

/** Checks a hub that can't write. */
async function wrongWhileFull({ hub, processor }: World, reported: readonly Payment[]): Promise<string[]> {
  const wrong: string[] = []
  // This row is smaller than a payment and may still fit. Each attempt leaves less room.
  const saysStorage = async () => {
    const ready = await fetch(`${hub.http}/readyz`)
    return ready.status === 503 && Object(await ready.json()).reason === 'storage'
  }
  if (!(await waitUntil(saysStorage, SOON_MS))) wrong.push('/readyz does not say "storage"')
  if (!(await fetch(`${hub.http}/healthz`)).ok) wrong.push('/healthz fails')
  const [first] = reported
  const stages = first && (await processor.stages(first))
  if (stages?.[0] !== 'played') wrong.push(`a payment that was heard reads as ${JSON.stringify(stages)}`)
  return wrong
}
