import { beforeAll, expect, it } from 'vitest'
import { type Gang, startGang } from '../attack/parts/gang.ts'
import { watchResident } from '../attack/parts/resident.ts'
import { openTown, type Town } from '../attack/parts/town.ts'
import type { Noticed } from '../attack/parts/victim.ts'
import { PER_SECOND } from '../attack/run.ts'
import { wronged } from '../attack/verdict.ts'
import { cpuMs } from '../bench/parts/process.ts'
import { withFile } from '../support/folder.ts'

/*
 * The short form of `npm run attack`. It counts, and measures no latency: a loaded machine makes all of it slow, and
 * none of it wrong.
 */

const SECONDS = 2
const SEED = 1
/** Of the neighbour's payments for one of the victim's. Without turns it is the number of its connections, 400. */
const MOST_BEFORE = 250
/** What the hub may take for an attack. Pipelining without a bound takes 300 MB and 16 s of processor time. */
const ROOM_BYTES = 150 * 1024 ** 2
const MOST_CPU_MS = 8_000

const onEnd = withFile()
let town: Town
let gang: Gang

beforeAll(async () => {
  town = await openTown({ backlog: { speakers: 1, missed: 2_000 } }, onEnd)
  gang = startGang()
  onEnd(() => gang.stop())
})

/** `work` is what the victim does beside the attack. */
async function underAttack(name: string, work: (isOver: () => boolean) => Promise<Noticed>) {
  const before = await town.memory()
  const cpuBefore = cpuMs(town.pid) ?? 0
  const peakOf = watchResident(town.pid)
  let isOver = false
  const attacked = gang
    .attack({ attacks: [name], seconds: SECONDS, seed: SEED, target: town.target })
    .finally(() => {
      isOver = true
    })
  const [noticed, tally] = await Promise.all([work(() => isOver), attacked])
  const tookMs = (cpuMs(town.pid) ?? 0) - cpuBefore
  return { noticed, tally, tookMs, tookBytes: peakOf() - before.rss }
}

it('noisy-neighbour: the victim gets its turn among 400 connections of a neighbour', async () => {
  const { noticed, tally } = await underAttack('noisy-neighbour', town.victim.workInTurn)
  expect(wronged(noticed)).toEqual([])
  // A neighbour that is refused makes no noise.
  expect(tally['200']).toBeGreaterThan(0)
  expect((tally['200'] ?? 0) / noticed.payments).toBeLessThan(MOST_BEFORE)
})

// The last one leaves a limit of five minutes behind in a hub without the right order of checks.
it.each(['pipelining', 'floods', 'wrong-checksums', 'missed-backlog', 'mqtt-mutations', 'lock-out'])(
  '%s: nothing of the victim is lost, doubled or refused, and the work is bounded',
  async (name) => {
    const { noticed, tally, tookMs, tookBytes } = await underAttack(name, () =>
      town.victim.work(PER_SECOND, SECONDS),
    )
    expect(wronged(noticed)).toEqual([])
    expect(tally.connections).toBeGreaterThan(0)
    expect(tookMs).toBeLessThan(MOST_CPU_MS)
    expect(tookBytes).toBeLessThan(ROOM_BYTES)
  },
)
