import { beforeAll, expect, it } from 'vitest'
import { type Gang, startGang } from '../attack/parts/gang.ts'
import { watchResident } from '../attack/parts/resident.ts'
import { openTown, type Town } from '../attack/parts/town.ts'
import { wronged } from '../attack/verdict.ts'
import { withFile } from '../support/folder.ts'

/*
 * The short form of `npm run attack`. It counts, and measures no time: a loaded machine makes all of it slow, and none
 * of it wrong.
 */

const SECONDS = 2
const SEED = 1
/** Of the neighbour's payments for one of the victim's. Without turns it is the number of its connections, 400. */
const MOST_BEFORE = 250
/** What the hub may take for an attack. Pipelining without a bound takes hundreds of megabytes. */
const ROOM_BYTES = 250 * 1024 ** 2

const onEnd = withFile()
let town: Town
let gang: Gang

beforeAll(async () => {
  town = await openTown({ backlog: { speakers: 1, missed: 2_000 } }, onEnd)
  gang = startGang()
  onEnd(() => gang.stop())
})

/** The victim reports payments one after another while the others attack. */
async function underAttack(name: string) {
  const before = await town.memory()
  const peakOf = watchResident(town.pid)
  let isOver = false
  const attacked = gang
    .attack({ attacks: [name], seconds: SECONDS, seed: SEED, target: town.target })
    .finally(() => {
      isOver = true
    })
  const [noticed, tally] = await Promise.all([town.victim.workInTurn(() => isOver), attacked])
  return { noticed, tally, tookBytes: peakOf() - before.rss }
}

it.each(['pipelining', 'floods', 'wrong-checksums', 'missed-backlog', 'mqtt-mutations', 'lock-out'])(
  '%s: nothing of the victim is lost, doubled or refused, and memory is bounded',
  async (name) => {
    const { noticed, tally, tookBytes } = await underAttack(name)
    expect(wronged(noticed)).toEqual([])
    expect(tally.connections).toBeGreaterThan(0)
    expect(tookBytes).not.toBeGreaterThan(ROOM_BYTES)
  },
)

it('noisy-neighbour: the victim gets its turn among 400 connections of a neighbour', async () => {
  const { noticed, tally } = await underAttack('noisy-neighbour')
  expect(wronged(noticed)).toEqual([])
  // A neighbour that is refused makes no noise.
  expect(tally['200']).toBeGreaterThan(0)
  expect((tally['200'] ?? 0) / noticed.payments).toBeLessThan(MOST_BEFORE)
})
