import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnHub } from '../support/processes/own-hub.ts'
import type { Answered } from '../support/proof/history.ts'
import { timeUntil, waitUntil } from '../support/wait.ts'
import { type Cluster, FULL, QUICK, SOON_MS, underPayments } from './parts/cluster.ts'
import { readMetrics } from './parts/metrics.ts'
import type { Place } from './parts/network/network.ts'
import type { Part } from './parts/network/part.ts'
import { scenario } from './scenario.ts'

/** Besides HUB_DRAIN_S: a hub finishes its requests, and closes what it has. */
const ENDED_WITHIN_MS = 15_000
/** A hub cuts a speaker that is silent for one and a half keepalives, and a speaker pings twice in one of 60 s. */
const SPEAKERS_KEPT_MS = 60_000
/** The shortest time after which HAProxy gives up a request that a hub does not answer. */
const GIVEN_UP_AFTER_MS = 2_000
/** Answers that are listed one by one. */
const MOST_REPORTED = 10

/** kill -9 of one hub after another, while the others go on. */
export const clusterKill = scenario({
  name: 'cluster-kill',
  promise: 'every payment answered with 200 is on file once and heard once, whichever hub is killed',
  scales: {
    quick: { ...QUICK, times: 1, payments: 20 },
    full: { ...FULL, times: 9, payments: 40 },
  },
  run: ({ times, payments, ...size }, stage) =>
    underPayments(size, stage, async (cluster) => {
      for (const [{ hub }, round] of inTurn(cluster, times)) {
        await cluster.untilAnswered(payments)
        await hub.kill()
        await cluster.untilAnswered(payments)
        await hub.start()
        // Else the next kill meets a hub that takes its first speakers, and speakers that have lost two hubs in a row.
        if (round % cluster.hubs.length === 0) await cluster.untilWhole()
        cluster.say(`killed a hub ${round} times`)
      }
      await cluster.untilAnswered(payments)
      return { did: `hubs were killed ${times} times in turn`, figures: { kills: times }, broken: [] }
    }),
})

/**
 * SIGSTOP of the hub that has the most speakers, and their connections are lost without a word: it wakes up with its old
 * sessions, and nothing tells it that they have gone on elsewhere but the other hubs.
 */
export const clusterFreeze = scenario({
  name: 'cluster-freeze',
  promise:
    'every payment is heard once while a hub hangs, and after it wakes up with its old sessions; behind HAProxy every callback gets 200',
  scales: {
    quick: { ...QUICK, times: 1, frozenMs: 0, payments: 20, mayBeBusy: true },
    full: { ...FULL, times: 3, frozenMs: 20_000, payments: 200, mayBeBusy: false },
  },
  run: ({ times, frozenMs, payments, mayBeBusy, ...size }, stage) =>
    underPayments({ ...size, network: 'wires', isBalanced: true }, stage, async (cluster) => {
      const { ears } = cluster
      const broken: string[] = []
      const movedMs: number[] = []
      /** The hubs that were frozen. Without HAProxy the processor goes on asking them. */
      const frozen = new Set<string>()
      for (let round = 1; round <= times; round += 1) {
        await cluster.untilAnswered(payments)
        const { hub, addresses, forgetSpeakers, before } = await busiest(cluster)
        // The balancer may have moved all of them, because the hub was slow.
        const had = before('hub_devices_connected')
        frozen.add(addresses.http)
        cluster.say(`freezes ${hub.http}, ${round} of ${times}`)
        process.kill(hub.pid(), 'SIGSTOP')
        forgetSpeakers?.()
        const frozenAt = performance.now()
        // A speaker that is away for another reason does not tell that the balancer has cut those of this hub.
        await waitUntil(() => cluster.up() < cluster.hubs.length, SOON_MS)
        await ears.untilOnline(SOON_MS)
        movedMs.push(performance.now() - frozenAt)
        await sleep(Math.max(0, frozenAt + frozenMs - performance.now()))
        process.kill(hub.pid(), 'SIGCONT')
        const hungMs = performance.now() - frozenAt
        const isFenced = async () => (await fencedAt(hub)) > before('hub_fenced_total')
        if (had > 0 && hungMs < SPEAKERS_KEPT_MS && !(await waitUntil(isFenced, SOON_MS)))
          broken.push(`a hub that woke up after ${Math.round(hungMs)} ms fenced none of ${had} sessions`)
        await cluster.untilWhole()
      }
      await cluster.untilAnswered(payments)
      const others = cluster.answered.filter(({ base }) => !frozen.has(base))
      return {
        did: `a hub was frozen for at least ${frozenMs / 1000} s, ${times} times in turn,`,
        figures: {
          freezes: times,
          'all speakers at other hubs, ms (longest)': longest(movedMs),
          'callback to answer, ms (longest)': longest(others.map(({ from, until }) => until - from)),
          'other than 200 at the other hubs': judgeAnswers(others, mayBeBusy, broken),
          'fenced sessions': await fencedIn(cluster),
        },
        broken,
      }
    }),
})

/** What a hub is cut off from, and the parts of its network that are silent then. */
const CUTS: Readonly<Record<string, readonly Part[]>> = {
  PostgreSQL: ['database'],
  speakers: ['speakers'],
  // PostgreSQL is back first: what the hub stores and sends then, it does as the owner that it was.
  everything: ['database', 'partners', 'speakers'],
}

/** A network that loses every packet of one hub after another, and closes nothing. */
export const clusterCut = scenario({
  name: 'cluster-cut',
  promise:
    'every payment is heard once while a hub is cut off from PostgreSQL, from its speakers or from all, and after it',
  scales: {
    quick: { ...QUICK, times: 1, cutMs: 0, payments: 20 },
    full: { ...FULL, times: 2, cutMs: 20_000, payments: 200 },
  },
  run: ({ times, cutMs, payments, ...size }, stage) =>
    underPayments({ ...size, network: 'namespaces' }, stage, async (cluster) => {
      const broken: string[] = []
      const kinds = Object.entries(CUTS)
      const [unready, down, readyAgain] = [openTimes(broken), openTimes(broken), openTimes(broken)]
      for (const [{ hub, parts }, round] of inTurn(cluster, times * kinds.length)) {
        // Each hub is cut off from something else in the next turn.
        const turn = Math.floor((round - 1) / cluster.hubs.length)
        const [from = '', names = []] = kinds[(round + turn - 1) % kinds.length] ?? []
        await cluster.untilAnswered(payments)
        cluster.say(`cuts ${hub.http} off from ${from}`)
        for (const name of names) parts?.[name].silence()
        const cutAt = performance.now()
        await Promise.all([
          names.includes('database') &&
            unready.note(`a hub cut off from ${from} stayed ready`, () => isUnready(hub)),
          names.includes('speakers') &&
            down.note(`a hub cut off from ${from} stayed up`, () => cluster.up() < cluster.hubs.length),
        ])
        await cluster.untilAnswered(payments)
        await sleep(Math.max(0, cutAt + cutMs - performance.now()))
        for (const name of names) {
          parts?.[name].mend()
          if (name === 'database')
            await readyAgain.note(
              'a hub reached PostgreSQL and was not ready',
              async () => !(await isUnready(hub)),
            )
        }
        await cluster.untilWhole()
      }
      await cluster.untilAnswered(payments)
      return {
        did: `a hub was cut off for at least ${cutMs / 1000} s, ${times} times each from ${Object.keys(CUTS).join(', ')},`,
        figures: {
          cuts: times * kinds.length,
          'not ready without PostgreSQL, ms (longest)': unready.longest(),
          'down without speakers, ms (longest)': down.longest(),
          'ready again, ms (longest)': readyAgain.longest(),
          'fenced sessions': await fencedIn(cluster),
        },
        broken,
      }
    }),
})

/** SIGTERM and start of one hub after another: an upgrade. */
export const rolling = scenario({
  name: 'rolling',
  promise:
    'while one hub after another restarts, the others answer every callback with 200 and nothing is missed',
  scales: {
    quick: { ...QUICK, times: 1, payments: 20, drainS: 1, mayBeBusy: true },
    full: { ...FULL, times: 2, payments: 100, drainS: 10, mayBeBusy: false },
  },
  run: ({ times, payments, mayBeBusy, ...size }, stage) =>
    underPayments({ ...size, mayMiss: false, isBalanced: true }, stage, async (cluster) => {
      const { hubs, untilAnswered, untilWhole, say } = cluster
      const broken: string[] = []
      const drains: number[] = []
      const away: { base: string; from: number; until: number }[] = []
      for (const [{ hub }, restarts] of inTurn(cluster, times * hubs.length)) {
        await untilAnswered(payments)
        const from = performance.now()
        const { code, ms } = await hub.terminate()
        drains.push(ms)
        if (code !== 0) broken.push(`a hub exited with ${code}: ${hub.complaints()}`)
        if (!mayBeBusy && ms > ENDED_WITHIN_MS + 1_000 * size.drainS)
          broken.push(`a hub took ${Math.round(ms)} ms to end`)
        await hub.start()
        away.push({ base: hub.http, from, until: performance.now() })
        await untilWhole()
        say(`restarted ${restarts} hubs`)
      }
      await untilAnswered(payments)
      const elsewhere = cluster.answered.filter(
        (one) =>
          !away.some(({ base, from, until }) => one.base === base && one.from <= until && one.until >= from),
      )
      return {
        did: `all hubs were restarted ${times} times in turn by SIGTERM`,
        figures: {
          restarts: away.length,
          'other than 200 at the other hubs': judgeAnswers(elsewhere, mayBeBusy, broken),
          'SIGTERM to exit, ms (longest)': longest(drains),
        },
        broken,
      }
    }),
})

/**
 * Counts the answers other than 200, and reports them as broken promises. A hub on a machine that is too busy says 503, or
 * nothing until the processor or the balancer gives it up. A balancer that takes one hub after another for down says 502.
 */
function judgeAnswers(answered: readonly Answered[], mayBeBusy: boolean, broken: string[]): number {
  const others = answered.filter(({ answer }) => answer !== 200)
  const isBusy = ({ answer, from, until }: Answered) =>
    answer === 503 ||
    answer === 502 ||
    ((answer === 'cut' || answer === 504) && until - from > GIVEN_UP_AFTER_MS)
  const wrong = others.filter((one) => !(mayBeBusy && isBusy(one)))
  for (const { base, answer } of wrong.slice(0, MOST_REPORTED))
    broken.push(`${base}, to which nothing was done, answered ${answer}`)
  return others.length
}

/** The hub with the most speakers, and its figures. A balancer on a busy machine may have left the first one none. */
async function busiest({ places }: Cluster) {
  const read = await Promise.all(
    places.map(async (place) => ({ ...place, before: await readMetrics(place.hub) })),
  )
  return read.reduce((most, one) =>
    one.before('hub_devices_connected') > most.before('hub_devices_connected') ? one : most,
  )
}

/** So many rounds over the hubs of a cluster. Each has its number from 1. */
function inTurn({ places }: Cluster, rounds: number): [Place, number][] {
  return Array.from({ length: Math.ceil(rounds / places.length) }, () => places)
    .flat()
    .slice(0, rounds)
    .map((place, index) => [place, index + 1])
}

/** Times from now until something holds. What never holds is a broken promise. */
function openTimes(broken: string[]) {
  const times: number[] = []
  return {
    async note(otherwise: string, holds: () => boolean | Promise<boolean>) {
      const ms = await timeUntil(holds, SOON_MS)
      if (ms === undefined) broken.push(otherwise)
      else times.push(ms)
    },
    longest: () => longest(times),
  }
}

function longest(times: readonly number[]): number {
  return Math.round(Math.max(...times))
}

async function fencedIn({ hubs }: Cluster): Promise<number> {
  return (await Promise.all(hubs.map(fencedAt))).reduce((sum, one) => sum + one, 0)
}

async function fencedAt(hub: OwnHub): Promise<number> {
  return (await readMetrics(hub))('hub_fenced_total')
}

async function isUnready(hub: OwnHub): Promise<boolean> {
  return (await fetch(`${hub.admin()}/readyz`)).status === 503
}
