import { expect, onTestFinished } from 'vitest'
import type { Kind } from './kind.ts'
import { prepareGround } from './run.ts'

export const KINDS: Partial<Kind>[] = [
  {},
  { hasty: true, overHttp: true },
  { hubs: 3, hasty: true },
  { boxes: true, hasty: true },
  { amnesia: true, restores: true, overHttp: false },
]

async function newGround() {
  const ground = await prepareGround()
  onTestFinished(ground.remove)
  return ground
}

/** Runs the seeds forwards and backwards: each is the same world again, to the last line, whatever was before it. */
export async function expectReproduced(kind: Partial<Kind>, seeds: readonly number[]) {
  const [one, other] = [await newGround(), await newGround()]
  const forwards = []
  for (const seed of seeds) forwards.push(await one.run(seed, { kind }))
  const backwards = []
  for (const seed of seeds.toReversed()) backwards.push(await other.run(seed, { kind }))
  expect(backwards.toReversed()).toEqual(forwards)
  expect(new Set(forwards.map(({ hash }) => hash)).size, 'another seed is another world').toBe(seeds.length)
}
