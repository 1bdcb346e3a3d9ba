import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../../simulator/platform/duration.ts'

describe('a duration', () => {
  it.each([
    ['250ms', 250],
    ['1.5s', 1_500],
    ['2m', 120_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['1h2m3.5s', 3_723_500],
    ['0s', 0],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', '90', 's', '-3s', '1s2m', '1e3s', '1 s', '.5s', '5d'])('%j is not a duration', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })
})
