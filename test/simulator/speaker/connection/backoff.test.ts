import { describe, expect, it } from 'vitest'
import {
  REFUSED_DELAY_MS,
  refusedDelayMs,
  retryDelayMs,
} from '../../../../simulator/speaker/connection/backoff.ts'

describe('the delay before the next attempt', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [6, 32_000],
    [7, 60_000],
    [5_000, 60_000],
  ])('sb/1 1.6, sb/1 13.1: after %i failures is between 0 and %i ms', (failures, ceiling) => {
    expect(retryDelayMs(failures, () => 0)).toBe(0)
    expect(retryDelayMs(failures, () => 0.5)).toBe(ceiling / 2)
  })

  it('sb/1 1.6, sb/1 13.2: is at least 15 minutes after a refused login', () => {
    expect(refusedDelayMs(() => 0)).toBe(REFUSED_DELAY_MS)
    expect(REFUSED_DELAY_MS).toBe(900_000)
  })
})
