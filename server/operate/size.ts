import { KNOWN, MEASURED, type Measured } from './measured.ts'
import { KNOW_DELETED_DAYS } from './retention.ts'

const DAY_S = 86_400
/** The longest pause of a speaker before it connects again: those of a lost hub come back within it. */
const RECONNECT_MS = 60_000
/** The shortest time between two telemetries of a speaker (sb/1 8.9). */
const PACKET_EVERY_S = 30
/** Of a payment: that it is recorded, and that it is played. */
const EVENTS = 2
/** HUB_KEEP_EVENTS_DAYS when it is not set. */
const KEEP_EVENTS_DAYS = 30
/** `max_connections` for each hub, and for commands and operators. */
const [HUB_CONNECTIONS, OTHER_CONNECTIONS] = [14, 20]
/** So long a balancer waits for a callback before it asks the next hub. */
const CALLBACK_S = 2
/** Of a machine. A hub on SQLite has two busy threads; more than 32 are seldom to be had. */
const [LEAST_CORES, MOST_CORES] = [2, 32]

export interface Fleet {
  shops: number
  /** Of one shop. */
  paymentsADay: number
  speakersAShop: number
  /** The rate at the peak, in mean rates. */
  peak: number
  keepDays: number
  /** How many webhooks get the events of each payment. */
  webhooks: number
  standbys: number
  /** The share of each limit that stays free at the peak. */
  headroom: number
  spareHubs: number
  /** Several hubs on PostgreSQL, also where one on SQLite would do. */
  postgres?: boolean
}

/** What may run out. A share of 1 is all of it. */
interface Limit {
  what: string
  /** When it runs out, more of the same does not help: another arrangement is needed. */
  isEnd: boolean
  used: number
  /** With twice the shops. */
  doubled: number
  remedy: string
}

export type Size = ReturnType<typeof sizeOf>

/**
 * Calculates what a fleet needs, or each of several databases with an equal share of it. Rates are of a second, `cpuMs` is
 * CPU in a second of the peak, `disk` is that of each server without its log and free space. `decides` is the limit behind
 * the verdict. `first` is the limit of which twice the shops use the highest share.
 */
export function sizeOf(fleet: Fleet, measured: Measured = MEASURED) {
  const free = 1 - fleet.headroom
  const load = loadOf(fleet)
  const one = oneHub(fleet, measured)
  const mostOfOne = highest(one.limits, 'used')
  if (mostOfOne.used <= free && !fleet.postgres)
    return { fleet, load, verdict: 'one hub on SQLite', databases: 0, decides: mostOfOne, ...one }

  const share = (databases: number) => severalHubs({ ...fleet, shops: fleet.shops / databases }, measured)
  const endOf = (databases: number) => highest(share(databases).limits.filter(isEnd), 'used')
  const databases = fewest(1, free, (count) => endOf(count).used)
  const each = share(databases)
  return databases === 1
    ? { fleet, load, verdict: 'several hubs on PostgreSQL', databases, decides: mostOfOne, ...each }
    : { fleet, load, verdict: 'more than one database', databases, decides: endOf(1), ...each }
}

/** A sentence at each of several speakers counts as a payment of its own (`spoken`). */
function loadOf({ shops, paymentsADay, speakersAShop, peak }: Fleet) {
  const mean = (shops * paymentsADay) / DAY_S
  const spoken = { mean: mean * speakersAShop, peak: mean * peak * speakersAShop }
  const speakers = shops * speakersAShop
  return { paymentsADay: shops * paymentsADay, mean, peak: mean * peak, speakers, spoken }
}

function oneHub(fleet: Fleet, measured: Measured) {
  const { sqlite, bytes, delivery, speaker } = measured
  const { speakers, spoken } = loadOf(fleet)
  const most = sqlite.rates.at(-1) ?? { perSecond: 0, hubMs: 0 }
  const otherMs = packetsMs(speakers, measured) + spoken.peak * EVENTS * fleet.webhooks * delivery.hubMs
  const cpuMs = line(sqlite.rates.map(({ perSecond, hubMs }) => [perSecond, hubMs]))(spoken.peak) + otherMs
  const share = spoken.peak / most.perSecond + otherMs / most.hubMs
  const connectMs = speakers * speaker.sqliteConnectMs
  const remedy = 'move to several hubs on PostgreSQL (hub import)'
  const limits = [
    limit('payments of a hub', remedy, true, (times) => times * share),
    limit('speakers of a hub', remedy, true, (times) => (times * connectMs) / RECONNECT_MS),
  ]
  const disk = diskOf(fleet, { ...measured, bytes: { ...bytes, ...sqlite.bytes } })
  return {
    hubs: { count: 1, cores: LEAST_CORES, cpuMs, ...speakersOf(fleet, speakers, measured) },
    postgres: undefined,
    ...{ disk, limits, first: highest(limits, 'doubled') },
    beyond: beyond([
      [speakers, KNOWN.speakersOfAHub, 'speakers at a hub'],
      [disk.payments, KNOWN.sqlitePayments, 'payments in the file'],
    ]),
  }
}

function severalHubs(fleet: Fleet, measured: Measured) {
  const { rates, delivery, speaker, hub } = measured
  const { peak, speakers, spoken } = loadOf(fleet)
  const free = 1 - fleet.headroom
  /** What so many hubs do in a second, with the deliveries of their events. */
  const doing = (kind: 'hubMs' | 'postgresMs' | 'commits' | 'walBytes') => {
    const ofHub = line(rates.map((rate) => [rate.perSecond / rate.hubs, rate[kind] / rate.hubs]))
    return (perSecond: number, hubs: number) =>
      hubs * ofHub(perSecond / hubs) + perSecond * EVENTS * fleet.webhooks * delivery[kind]
  }
  const [hubMs, postgresMs, walBytes] = [doing('hubMs'), doing('postgresMs'), doing('walBytes')]
  const hubShare = (times: number, hubs: number) =>
    (hubMs(times * spoken.peak, hubs) + packetsMs(times * speakers, measured)) / hubs / 1_000
  const speakerShare = (times: number, hubs: number) =>
    (times * speakers * speaker.connectMs) / hubs / RECONNECT_MS
  // Two at least: the speakers of a lost hub need another one.
  const working = fewest(2, free, (hubs) => Math.max(hubShare(1, hubs), speakerShare(1, hubs)))
  const count = working + fleet.spareHubs
  const busyCores = (times: number) => postgresMs(times * spoken.peak, count) / 1_000
  const cores = Math.max(LEAST_CORES, Math.ceil(busyCores(1) / free))
  const [more, cells] = ['start more hubs', 'make cells: another PostgreSQL with hubs of its own']
  const limits = [
    limit('CPU of the hubs', more, false, (times) => hubShare(times, working)),
    limit('speakers of a hub', more, false, (times) => speakerShare(times, working)),
    limit('CPU of PostgreSQL', 'give PostgreSQL more cores', false, (times) => busyCores(times) / cores),
    limit(`${MOST_CORES} cores of a PostgreSQL`, cells, true, (times) => busyCores(times) / MOST_CORES),
    limit('order of events', cells, true, (times) => (times * spoken.peak * EVENTS) / KNOWN.eventsPerSecond),
    limit('retention', cells, true, (times) => (times * spoken.mean) / measured.deletedPerSecond),
  ]
  const disk = diskOf(fleet, measured)
  return {
    hubs: {
      ...{ count, cores: 1, cpuMs: hubShare(1, working) * 1_000 },
      ...speakersOf(fleet, speakers / working, measured),
    },
    postgres: {
      ...{ cores, cpuMs: busyCores(1) * 1_000, commits: doing('commits')(spoken.peak, count) },
      ...{ walBytes: walBytes(spoken.peak, count), walBytesADay: DAY_S * walBytes(spoken.mean, count) },
      connections: count * hub.connections,
      maxConnections: count * HUB_CONNECTIONS + OTHER_CONNECTIONS,
      balancerConnections: speakers + Math.ceil(peak * CALLBACK_S),
    },
    ...{ disk, limits, first: highest(limits, 'doubled') },
    beyond: beyond([
      [spoken.peak, Math.max(...rates.map(({ perSecond }) => perSecond)), 'payments a second'],
      [count, Math.max(...rates.map(({ hubs }) => hubs)), 'hubs'],
      [speakers / working, KNOWN.speakersOfAHub, 'speakers at a hub'],
      [cores, KNOWN.cores, 'cores of PostgreSQL'],
      [disk.payments, measured.payments, 'payments in the database'],
      [fleet.standbys, 0, 'standbys'],
      [fleet.speakersAShop, 1, 'speakers of a shop'],
    ]),
  }
}

/**
 * The smallest count from `least` on at which each uses at most `free`. A larger count never does less work in all. So the
 * work at too small a count gives a lower bound of the answer, and no step goes beyond the answer.
 */
function fewest(least: number, free: number, used: (count: number) => number): number {
  let count = least
  while (used(count) > free) count = Math.max(count + 1, Math.floor((count * used(count)) / free))
  return count
}

/**
 * The work of a hub in a second, as a function of its payments in a second. It is linear between the measured rates. Beyond
 * the last one, a payment costs what it costs there. Measurements vary: at a higher rate, the work may not be less, nor the
 * cost of a payment more. Where they are, the higher figure counts. So more load never needs less.
 */
function line(measured: readonly (readonly [rate: number, done: number])[]): (perSecond: number) => number {
  const points = measured.map(([rate, done]) => ({ rate, done })).toSorted((a, b) => a.rate - b.rate)
  let [most, each] = [0, 0]
  for (const point of points) {
    most = Math.max(most, point.done)
    point.done = most
  }
  for (const point of points.toReversed().filter(({ rate }) => rate > 0)) {
    each = Math.max(each, point.done / point.rate)
    point.done = each * point.rate
  }
  return (perSecond) => {
    const from = points.findLast(({ rate }) => rate <= perSecond) ?? { rate: 0, done: 0 }
    const to = points.find(({ rate }) => rate > perSecond)
    if (!to) return (from.done / from.rate) * perSecond
    return from.done + ((perSecond - from.rate) / (to.rate - from.rate)) * (to.done - from.done)
  }
}

const packetsMs = (speakers: number, { speaker }: Measured) => (speakers * speaker.packetMs) / PACKET_EVERY_S

/** The speakers of a hub, and its memory. */
function speakersOf({ headroom }: Fleet, speakers: number, { speaker, hub }: Measured) {
  return { speakers, memoryBytes: (hub.bytes + speakers * speaker.bytes) / (1 - headroom) }
}

function diskOf(fleet: Fleet, { bytes, delivery }: Measured) {
  const aDay = loadOf(fleet).spoken.mean * DAY_S
  const payment = bytes.rows + bytes.indexes
  const events = bytes.events + EVENTS * fleet.webhooks * delivery.bytes
  const eventDays = Math.min(fleet.keepDays, KEEP_EVENTS_DAYS)
  return {
    payments: aDay * fleet.keepDays,
    bytes: aDay * (payment * fleet.keepDays + events * eventDays + bytes.deleted * KNOW_DELETED_DAYS),
    bytesADay: aDay * (payment + events),
    indexBytes: aDay * bytes.indexes * fleet.keepDays,
  }
}

function limit(what: string, remedy: string, isEnd: boolean, share: (times: number) => number): Limit {
  return { what, isEnd, used: share(1), doubled: share(2), remedy }
}

const isEnd = (one: Limit) => one.isEnd

const highest = (limits: readonly Limit[], by: 'used' | 'doubled') =>
  limits.reduce((most, one) => (one[by] > most[by] ? one : most))

const beyond = (needs: readonly [needed: number, measured: number, what: string][]) =>
  needs.filter(([needed, most]) => needed > most).map(([needed, most, what]) => ({ what, needed, most }))
