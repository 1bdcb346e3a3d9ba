import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCDevice, type CDevice, missingForC } from '../support/c-device.ts'
import { temporaryFolder } from '../support/folder.ts'
import { expectedOf, linesOf, outcomeOf } from './c/acceptance.ts'
import { acceptanceVectors, frameVectors } from './vectors.ts'

const missing = missingForC()
if (missing !== undefined) process.stderr.write(`The C device is not tested: ${missing}.\n`)

describe.skipIf(missing !== undefined)('the example device in C', () => {
  let c: CDevice
  beforeAll(() => {
    c = buildCDevice(temporaryFolder(afterAll))
  })

  it('does in every case of acceptance.json what the case says', () => {
    const { cases } = acceptanceVectors
    const { printed, stderr, status } = c.run(cases.flatMap(linesOf))
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    const ends = printed.flatMap(({ state }, index) => (state === undefined ? [] : [index + 1]))
    const outcomes = cases.map((one, index) => {
      const lines = printed.slice(ends[index - 1] ?? 0, ends[index])
      return [one.name, outcomeOf(lines, one.before)]
    })
    expect(outcomes).toEqual(cases.map((one) => [one.name, expectedOf(one)]))
  })
})
