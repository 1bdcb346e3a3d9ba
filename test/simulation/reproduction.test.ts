import { expect, it, onTestFinished } from 'vitest'
import { prepareGround } from './run.ts'

const SEEDS = [11, 12, 13, 14, 15, 16]

async function newGround() {
  const ground = await prepareGround()
  onTestFinished(ground.remove)
  return ground
}

it('a seed is the same world again, to the last line, whatever was before it', {
  timeout: 300_000,
}, async () => {
  const [one, other] = [await newGround(), await newGround()]
  const forwards = []
  for (const seed of SEEDS) forwards.push(await one.run(seed))
  const backwards = []
  for (const seed of SEEDS.toReversed()) backwards.push(await other.run(seed))
  expect(backwards.toReversed()).toEqual(forwards)
})

it('another seed is another world', async () => {
  const ground = await newGround()
  const hashes = []
  for (const seed of SEEDS) hashes.push((await ground.run(seed)).hash)
  expect(new Set(hashes).size).toBe(SEEDS.length)
})
