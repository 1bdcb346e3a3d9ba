import { describe, expect, it } from 'vitest'
import { judgeRefresh } from '../../../server/partners/rotation.ts'

const MADE_AT = 1_000_000
const ENDS_AT = MADE_AT + 10 ** 10
const FAMILY = {
  ...{ newestGeneration: 3, newestSince: MADE_AT, familyExpiresAt: ENDS_AT },
  ...{ familyRevoked: false, partnerDisabled: false },
}

describe('a refresh token', () => {
  it.each([
    { why: 'the newest of its family', generation: 3, used: false, afterMs: 0, verdict: 'next' },
    { why: 'the newest, however old', generation: 3, used: false, afterMs: 10 ** 9, verdict: 'next' },
    { why: 'the one that made the newest, at once', generation: 2, used: true, afterMs: 0, verdict: 'again' },
    {
      why: 'the one that made the newest, at 60 s',
      generation: 2,
      used: true,
      afterMs: 60_000,
      verdict: 'again',
    },
    {
      why: 'the one that made the newest, after 60 s',
      generation: 2,
      used: true,
      afterMs: 60_001,
      verdict: 'reuse',
    },
    { why: 'a twin that did not make the newest', generation: 2, used: false, afterMs: 0, verdict: 'reuse' },
    { why: 'two generations old', generation: 1, used: true, afterMs: 0, verdict: 'reuse' },
  ])('that is $why: $verdict', ({ generation, used, afterMs, verdict }) => {
    expect(judgeRefresh({ ...FAMILY, generation, used }, MADE_AT + afterMs)).toBe(verdict)
  })

  it.each([
    { what: 'revoked before all else', at: ENDS_AT, change: { familyRevoked: true, partnerDisabled: true } },
    { what: 'expired at the end of its family', at: ENDS_AT, change: { partnerDisabled: true } },
    { what: 'disabled with its partner', at: ENDS_AT - 1, change: { partnerDisabled: true } },
  ])('is $what, whatever its generation', ({ what, at, change }) => {
    for (const generation of [1, 2, 3])
      expect(judgeRefresh({ ...FAMILY, ...change, generation, used: true }, at)).toBe(what.split(' ')[0])
  })
})
