import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { gatherEars } from '../../force/parts/ear.ts'
import { openTill } from '../../force/parts/payments.ts'
import { prove } from '../../force/parts/proof.ts'
import { switchOnSimulated } from '../../force/parts/simulated.ts'
import { openWorld } from '../../force/parts/world.ts'
import { until } from '../../support/wait.ts'

const HUB = fileURLToPath(new URL('../../force/parts/hub-with-bug.ts', import.meta.url))
const SHOPS = 3

describe.concurrent('a hub that is killed, and has a bug, breaks one promise for each shop', () => {
  it.for<[bug: string, broken: RegExp]>([
    ['earlyAnswers', /got 200, and is not on record\n[^$]*: the hub at \d+ is killed/],
    ['forgetsPlayed', /was heard 2 times\n[^$]*: the hub at \d+ is killed/],
    ['countsRepeats', /^TILL-\d counts [2-9] payments of \d+, and has 1 of \d+\n/],
  ])('%s', async ([bug, broken], { onTestFinished: onEnd }) => {
    const world = await openWorld({ shops: SHOPS, launch: [process.execPath, HUB, bug] }, { onEnd })
    const { hub, history, processor, storage } = world
    const ears = gatherEars(world.shops.map((shop) => switchOnSimulated(world, shop, () => 0)))
    onEnd(() => ears.stop())
    await until('the speakers', () => ears.online() === SHOPS)

    const till = openTill(world)
    await Promise.all(world.shops.map(till.pay))
    await Promise.all(history.payments.map(processor.report))
    await until('the sentences', async () => (await storage.outbox.backlog()).open === 0)
    await hub.killAndRestart()
    await until('the speakers', () => ears.all.every(({ online, sessions }) => online && sessions === 2))
    expect((await prove(world)).broken).toEqual(Array(SHOPS).fill(expect.stringMatching(broken)))
  })
})
