import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOX_BUGS } from '../../simulation/boxes/plants.ts'
import { BUGS } from '../../simulation/plants.ts'
import { tellFailure } from '../../simulation/report.ts'
import { type Ground, type Outcome, prepareGround, type RunOptions } from '../../simulation/run.ts'
import { shrink } from '../../simulation/shrink.ts'

let ground: Ground
beforeAll(async () => {
  ground = await prepareGround()
})
afterAll(() => ground.remove())

async function firstFailure(options: () => RunOptions, seeds: number): Promise<Outcome | undefined> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const outcome = await ground.run(seed, options())
    if (outcome.failure) return outcome
  }
  return undefined
}

describe('a planted bug is found', () => {
  it.each([...BUGS, ...BOX_BUGS])('$name', async ({ plants, breaks, kind, steps, within }) => {
    const found = await firstFailure(
      () => ({ steps, plants: plants(), kind: { hubs: 1, boxes: false, ...kind } }),
      within,
    )
    expect(found, `nothing broke in ${within} worlds`).toBeDefined()
    expect(breaks).toContain(found?.failure?.invariant)
  })
})

it('a failure is cut down to the steps that it takes, and fails the same again', async () => {
  const [bug] = BUGS.filter(({ breaks }) => breaks.includes('at most once'))
  const options = () => ({ steps: 40, kind: { hubs: 1, boxes: false }, ...(bug && { plants: bug.plants() }) })
  const found = await firstFailure(options, 100)
  if (!found?.failure) return expect.fail('nothing broke')
  const short = await shrink(ground, found, options())
  expect(short.failure?.invariant).toBe(found.failure.invariant)
  expect(short.steps).toBeLessThan(found.steps / 2)
  expect(tellFailure(short, 40)).toContain(`--from ${found.seed} --seeds 1 --steps 40 --only `)
  const only = new Set(short.failure?.actions.map(({ step }) => step))
  expect(await ground.run(found.seed, { ...options(), only })).toEqual(short)
})
