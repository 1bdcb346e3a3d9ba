import { beforeAll, describe, expect, it } from 'vitest'
import type { AcceptanceCase, VectorEffect } from '../../../protocol/generate/formats/acceptance.ts'
import { type CCore, elementCCore, missingForCore } from '../../protocol/c/build.ts'
import { acceptanceVectors, frameVectors } from '../../protocol/vectors.ts'
import { expectedOf, linesOf, outcomeOf } from './c/acceptance.ts'
import { SETUP } from './c/fuzz.ts'
import { REKEYS } from './c/rekeys.ts'
import { briefly } from './c/scenarios.ts'

/** The element replaces a next K in its slot: the ring with the handles stays the same, and is not kept again. */
const REPLACED = 'keep AAEC VVVV'
const replaces = ({ before }: AcceptanceCase, effect: VectorEffect) =>
  effect.do === 'write_keys' && before.nextKey !== null && effect.nextKey !== null

/**
 * The program ends with an error as soon as 16 bytes of a secret key are in the memory of the device: K, the next K, the
 * down key, the up key.
 */
describe.skipIf(missingForCore() !== undefined)('the core in C whose keys are in a secure element', () => {
  let c: CCore
  beforeAll(async () => {
    c = await elementCCore()
  })

  it('sb/1 2.2, sb/1 2.3, sb/1 2.5: derives the keys and proofs of frame.json within the element', () => {
    const { keys } = frameVectors
    const derived = c.run(keys.map(({ key, serial }) => [`derive ${key} ${serial}`]))
    expect(derived).toEqual(
      keys.map(({ loginHex, downHex, upHex, password, proof }) => [
        { login: loginHex, down: downHex, up: upHex, password, proof },
      ]),
    )
  })

  it('does in every case of acceptance.json what the case says', () => {
    const { cases } = acceptanceVectors
    const printed = c.run(cases.map(linesOf))
    const outcomes = cases.map((one, index) => [one.name, outcomeOf(printed[index] ?? [], one.before)])
    const expected = cases.map((one) => ({
      ...one,
      effects: one.effects.filter((effect) => !replaces(one, effect)),
    }))
    expect(outcomes).toEqual(expected.map((one) => [one.name, expectedOf(one)]))
  })

  it.each(REKEYS)('$name', ({ lines, does }) => {
    const [done = []] = c.run([[...SETUP, ...lines]]).map(briefly)
    expect(done.filter((act) => act !== REPLACED)).toEqual(does.filter((act) => act !== REPLACED))
  })
})
