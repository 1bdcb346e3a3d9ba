import { PLAYS_MS } from '../cost.ts'
import { compare, inTurn, type Pair, speedsOf } from '../parts/in-turn.ts'
import { load } from '../parts/load/load.ts'
import { callbacksTo, type Market, openMarket } from '../parts/market.ts'
import { openStreet, type Street } from '../parts/street.ts'
import { type Figure, perSecond } from '../parts/table.ts'
import { type Kind, type Peer, POSTGRES, REDIS, startPeer } from './peer.ts'

/** The amount of work. */
export const PEERS = {
  /** The number of shops, each with a speaker. */
  shops: 100,
  /** V8 compiles the hot code of the hub and of the peer until then. */
  played: { warmUp: 20_000, round: 4_000, rounds: 5 },
  cost: {
    rates: [
      { perSecond: 200, seconds: 5 },
      { perSecond: 500, seconds: 4 },
    ],
    rounds: 3,
  },
  callbacks: { connections: [32, 128], warmUpSeconds: 3, seconds: 2, rounds: 5 },
}
export type Work = typeof PEERS

interface Goals {
  played: string
  cpu?: string
}

const KINDS: [kind: Kind, goals: Goals][] = [
  [POSTGRES, { played: 'at least 1.80', cpu: 'at most 0.80' }],
  [REDIS, { played: 'at least 0.80' }],
]

/**
 * The hub compared with what a user would build instead, in turn, on the same disk. Each payment is checked and signed,
 * stored with its announcement in one durable step, published at QoS 1, acked, and the ack is stored.
 */
export async function benchPeers(work = PEERS): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [kind, goals] of KINDS) {
    const market = await openMarket({ shops: work.shops })
    try {
      const peer = await startPeer(kind, market.shops)
      if (!peer) {
        process.stderr.write(`${kind.name}: skipped. It needs ${kind.needs}.\n`)
        continue
      }
      try {
        figures.push(...(await measureBoth(market, peer, kind.name, goals, work)))
      } finally {
        await peer.stop()
      }
    } finally {
      await market.stop()
    }
  }
  return figures
}

async function measureBoth(
  market: Market,
  peer: Peer,
  name: string,
  goals: Goals,
  work: Work,
): Promise<Figure[]> {
  const streets = async (playing?: { playsMs: number }) =>
    [await openStreet(market, playing), await peer.openStreet(playing)] as const
  const atOnce = await streets()
  const played = await benchPlayed(...atOnce, name, goals, work)
  for (const street of atOnce) street.close()
  const talking = await streets({ playsMs: PLAYS_MS })
  const cost = await benchCosts(...talking, name, goals, work.cost)
  for (const street of talking) street.close()
  // Runs last: the hub keeps announcements for speakers that are off. A broker drops them.
  const callbacks = await benchCallbacks(market, peer, name, work.callbacks)
  return [...callbacks, ...played, ...cost]
}

async function benchPlayed(ours: Street, theirs: Street, peer: string, goals: Goals, work: Work) {
  for (const street of [ours, theirs]) await street.pay(work.played.warmUp)
  const pairs = await inTurn(
    work.played.rounds,
    () => ours.pay(work.played.round),
    () => theirs.pay(work.played.round),
  )
  const what = `callback to stored "played", ${work.shops} speakers`
  return compare(what, peer, speedsOf(pairs), perSecond, goals.played)
}

async function benchCosts(
  ours: Street,
  theirs: Street,
  peer: string,
  goals: Goals,
  { rates, rounds }: Work['cost'],
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const rate of rates) {
    const amount = Math.ceil(rate.perSecond * rate.seconds)
    const cpuOf = async (street: Street) =>
      ((await street.payAt(rate.perSecond, amount)).used?.cpuMs ?? Number.NaN) / amount
    const pairs = await inTurn(
      rounds,
      () => cpuOf(ours),
      () => cpuOf(theirs),
    )
    const what = `CPU of a payment at ${rate.perSecond}/s, all processes`
    figures.push(...compare(what, peer, pairs, (value) => `${value.toFixed(2)} ms`, goals.cpu))
  }
  return figures
}

async function benchCallbacks(
  market: Market,
  { target }: Peer,
  peer: string,
  { connections, warmUpSeconds, seconds, rounds }: Work['callbacks'],
): Promise<Figure[]> {
  const ours = callbacksTo(market)
  for (const one of [ours, target]) await load(one, { duration: warmUpSeconds })
  const figures: Figure[] = []
  for (const count of connections) {
    const pairs: Pair[] = speedsOf(
      await inTurn(
        rounds,
        () => load(ours, { duration: seconds }, count),
        () => load(target, { duration: seconds }, count),
      ),
    )
    figures.push(...compare(`durable callbacks, ${count} connections`, peer, pairs, perSecond))
  }
  return figures
}
