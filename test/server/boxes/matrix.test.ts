import { describe, expect, it } from 'vitest'
import { expected, FAULTS, KINDS, seen } from './matrix.ts'

describe.each(FAULTS)('%s', (fault) => {
  it.each(KINDS)('%s', async (kind) => {
    expect(await seen(kind, fault)).toEqual(expected(kind, fault))
  })
})
