import { describe, expect, it } from 'vitest'
import { acceptanceVectors } from '../../../protocol/vectors.ts'
import { run } from './world.ts'

const cases = acceptanceVectors.cases.map((vector) => ({
  title: `sb/1 ${vector.clauses.join(', sb/1 ')}: ${vector.name}`,
  vector,
}))

describe('the simulated device passes acceptance.json', () => {
  it.each(cases)('$title', ({ vector }) => {
    expect(run(vector)).toEqual({
      sends: vector.sends,
      effects: vector.effects,
      after: { ...vector.before, ...vector.after },
    })
  })
})
