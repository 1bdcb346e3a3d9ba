import { setTimeout as sleep } from 'node:timers/promises'
import { BOX_KINDS, type BoxKind } from '../../simulator/boxes/kinds.ts'
import { makeBoxes } from '../force/parts/boxes/boxes.ts'
import type { LinkedBox } from '../support/boxes.ts'
import { compare, type Pair } from './parts/in-turn.ts'
import { bodiesInTurn, callbacksTo, type Market, openMarket } from './parts/market.ts'
import type { Line } from './parts/mqtt/line.ts'
import { openPocketBox } from './parts/mqtt/pocket-box.ts'
import { createStreet, openStreet, type Street } from './parts/street.ts'
import { type Figure, kilobytes, milliseconds, ratio } from './parts/table.ts'
import { type Connected, connectAll, connectShops } from './speakers.ts'

const IDLE = 10_000
const SETTLE_MS = 4_000
/** One of each dialect. */
const PAID: readonly BoxKind[] = ['hemipay', 'clip-numbers', 'alink']
/** A box speaks for some seconds: each has one payment in a round, and the next one much later. */
const EACH = 1_000
const PER_SECOND = 200
const ROUNDS = 5
/** For the last commits: a box is told nothing when its answer is stored. */
const COMMITTED_MS = 500
const ENV = { HUB_BOX_PORT: '0', HUB_BOX_HOST: '127.0.0.1' }
const PEER = 'a speaker of sb/1'

/** The memory of idle boxes, and the CPU of a payment to a box, beside speakers of sb/1 on a hub of the same kind. */
export async function benchBoxes(): Promise<Figure[]> {
  return [...(await benchIdle()), ...(await benchPaid())]
}

async function benchIdle(): Promise<Figure[]> {
  const boxes = await withHub(0, IDLE, BOX_KINDS, (market, made) =>
    connectAll(
      market,
      made.map((box) => () => openPocketBox(box, market.box ?? '')),
      SETTLE_MS,
    ),
  )
  const speakers = await withHub(IDLE, 0, BOX_KINDS, (market) => connectShops(market, SETTLE_MS))
  const kept = (what: string, of: (one: Connected) => number): Figure => ({
    ...{ what: `${what} for each of ${IDLE} idle boxes`, peer: PEER },
    ...{ value: kilobytes(of(boxes)), peerValue: kilobytes(of(speakers)) },
    ratio: ratio(of(boxes), of(speakers)),
  })
  return [kept('live memory', ({ live }) => live), kept('resident memory', ({ resident }) => resident)]
}

function benchPaid(): Promise<Figure[]> {
  return withHub(EACH, EACH * PAID.length, PAID, async (market, made) => {
    const own = await openStreet(market)
    const streets = new Map<BoxKind, Street>()
    for (const kind of PAID)
      streets.set(
        kind,
        await openBoxes(
          market,
          made.filter((box) => box.kind === kind),
        ),
      )
    await sleep(SETTLE_MS)
    const all = [own, ...streets.values()]
    for (const street of all) await street.payAt(PER_SECOND, EACH)
    const pairs = new Map<BoxKind, Pair[]>(PAID.map((kind) => [kind, []]))
    for (let round = 0; round < ROUNDS; round += 1) {
      const theirs = await cpuOf(own)
      for (const [kind, street] of streets) pairs.get(kind)?.push([await cpuOf(street), theirs])
    }
    for (const street of all) street.close()
    return PAID.flatMap((kind) =>
      compare(`CPU of a payment to ${kind} at ${PER_SECOND}/s`, PEER, pairs.get(kind) ?? [], milliseconds),
    )
  })
}

/** Milliseconds of the hub. */
async function cpuOf(street: Street): Promise<number> {
  const { used } = await street.payAt(PER_SECOND, EACH)
  return (used?.cpuMs ?? Number.NaN) / EACH
}

async function openBoxes(market: Market, boxes: readonly LinkedBox[]): Promise<Street> {
  let heard = 0
  const lines: Line[] = []
  const hear = () => {
    heard += 1
  }
  for (const box of boxes) lines.push(await openPocketBox(box, market.box ?? '', hear))
  const reaches = async (payments: number, signal: AbortSignal) => {
    while (heard < payments) {
      signal.throwIfAborted()
      await sleep(2)
    }
    await sleep(COMMITTED_MS)
  }
  return createStreet({ ...callbacksTo(market), body: bodiesInTurn(boxes, market.body) }, reaches, lines)
}

async function withHub<T>(
  shops: number,
  count: number,
  kinds: readonly BoxKind[],
  use: (market: Market, boxes: readonly LinkedBox[]) => Promise<T>,
): Promise<T> {
  let made: LinkedBox[] = []
  const makeMore: Parameters<typeof openMarket>[0]['makeMore'] = async (storage, clientId) => {
    made = await makeBoxes(storage, clientId, count, kinds)
  }
  const market = await openMarket({ shops, makeMore }, { env: ENV })
  try {
    return await use(market, made)
  } finally {
    await market.stop()
  }
}
