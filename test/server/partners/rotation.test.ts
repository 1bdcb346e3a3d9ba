import { describe, expect, it } from 'vitest'
import { mayRotate, REFRESH_GRACE_MS } from '../../../server/partners/rotation.ts'

const MADE_AT = 1_000_000

describe('a refresh token', () => {
  it.each([
    { why: 'the newest of its family', generation: 3, used: false, afterMs: 0, verdict: 'next' },
    { why: 'the newest, however old', generation: 3, used: false, afterMs: 10 ** 9, verdict: 'next' },
    { why: 'what made the newest, at once', generation: 2, used: true, afterMs: 0, verdict: 'again' },
    { why: 'what made the newest, at 60 s', generation: 2, used: true, afterMs: 60_000, verdict: 'again' },
    { why: 'what made the newest, after 60 s', generation: 2, used: true, afterMs: 60_001, verdict: 'reuse' },
    { why: 'a twin that did not make the newest', generation: 2, used: false, afterMs: 0, verdict: 'reuse' },
    { why: 'two generations old', generation: 1, used: true, afterMs: 0, verdict: 'reuse' },
  ])('that is $why: $verdict', ({ generation, used, afterMs, verdict }) => {
    const state = { newestGeneration: 3, newestSince: MADE_AT, generation, used }
    expect(mayRotate(state, MADE_AT + afterMs)).toBe(verdict)
  })

  it('has the grace that the contract gives it', () => {
    expect(REFRESH_GRACE_MS).toBe(60_000)
  })
})
