import { expect, it } from 'vitest'
import { readClauseList } from '../../../protocol/conformance/case/clause-list.ts'
import { readProfile } from '../../../protocol/conformance/case/profile.ts'

/** A run of the whole kit takes most of an hour, and without a declaration it certifies nothing. */
it.each([
  ['the firmware, which takes no offers of firmware', 'protocol/examples/c/mcu/profile.yaml', 'update'],
  ['the program for Linux', 'protocol/examples/c/profile.yaml', undefined],
])('the profile of %s declares each MUST that no kit can check', (_, path, lacks) => {
  const beyond = [...readClauseList()].filter(
    ([, entry]) =>
      entry.level === 'must' && entry.beyond !== undefined && !entry.for.some((need) => need === lacks),
  )
  expect(Object.keys(readProfile(path).declares).sort()).toEqual(beyond.map(([number]) => number).sort())
})
