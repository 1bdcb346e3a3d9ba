import { describe, expect, it } from 'vitest'
import {
  CODE_VALID_MS,
  countCode,
  currentQuota,
  freeAgainAt,
  type IssuedCode,
  judgeCode,
  PERIOD_MS,
} from '../../../server/devices/verification-code.ts'

const AT = 1_000_000
const code = (text: string, state: IssuedCode['state'], expiresAt = AT + 1): IssuedCode => ({
  ...{ hash: Buffer.from(text), clientId: 'sbc_1', expiresAt, state },
})

describe('the quota', () => {
  it.each([
    { why: 'the first ever', quota: undefined, at: AT, after: { periodStartedAt: AT, issued: 1 } },
    {
      why: 'the second',
      quota: { periodStartedAt: AT, issued: 1 },
      at: AT + 1,
      after: { periodStartedAt: AT, issued: 2 },
    },
    {
      why: 'the third',
      quota: { periodStartedAt: AT, issued: 2 },
      at: AT + 1,
      after: { periodStartedAt: AT, issued: 3 },
    },
    { why: 'the fourth', quota: { periodStartedAt: AT, issued: 3 }, at: AT + 1, after: undefined },
    {
      why: 'the fourth in the last moment',
      quota: { periodStartedAt: AT, issued: 3 },
      at: AT + PERIOD_MS - 1,
      after: undefined,
    },
    {
      why: 'the first of a new period',
      quota: { periodStartedAt: AT, issued: 3 },
      at: AT + PERIOD_MS,
      after: { periodStartedAt: AT + PERIOD_MS, issued: 1 },
    },
    {
      why: 'the first after a period that was not used up',
      quota: { periodStartedAt: AT, issued: 1 },
      at: AT + PERIOD_MS,
      after: { periodStartedAt: AT + PERIOD_MS, issued: 1 },
    },
    {
      why: 'the first since the clock was set back, whatever the period says that is still to begin',
      quota: { periodStartedAt: AT + 3_600_000, issued: 3 },
      at: AT,
      after: { periodStartedAt: AT, issued: 1 },
    },
  ])('counts a code that is $why', ({ quota, at, after }) => {
    expect(countCode({ own: quota, newest: [] }, at)).toEqual(after)
  })

  it.each([
    { why: 'eight', newest: Array(8).fill(AT), at: AT, free: AT },
    { why: 'nine', newest: Array(9).fill(AT), at: AT + 1, free: AT + PERIOD_MS },
    {
      why: 'nine, the oldest fifteen minutes ago',
      newest: [...Array(8).fill(AT + 1), AT],
      at: AT + PERIOD_MS,
      free: AT + PERIOD_MS,
    },
    { why: 'nine from before the clock was set back', newest: Array(9).fill(AT + 1), at: AT, free: AT },
  ])('of all partners is used up by nine codes of a device: $why', ({ newest, at, free }) => {
    expect(freeAgainAt({ own: undefined, newest }, at)).toBe(free)
    expect(countCode({ own: undefined, newest }, at)).toEqual(
      free > at ? undefined : { periodStartedAt: at, issued: 1 },
    )
  })

  it('counts nothing of a period that has run out', () => {
    const quota = { periodStartedAt: AT, issued: 3 }
    expect(currentQuota(quota, AT + PERIOD_MS - 1)).toBe(quota)
    expect(currentQuota(quota, AT + PERIOD_MS)).toBeUndefined()
    expect(currentQuota(undefined, AT)).toBeUndefined()
  })
})

describe('a presented code', () => {
  it.each([
    { why: 'the outstanding one', codes: [code('right', 'outstanding')], verdict: 'right' },
    { why: 'another than the outstanding one', codes: [code('other', 'outstanding')], verdict: 'wrong' },
    { why: 'the outstanding one, too late', codes: [code('right', 'outstanding', AT)], verdict: 'expired' },
    {
      why: 'the outstanding one, from before the clock was set back',
      codes: [code('right', 'outstanding', AT + CODE_VALID_MS + 1)],
      verdict: 'expired',
    },
    { why: 'wrong and too late', codes: [code('other', 'outstanding', AT)], verdict: 'expired' },
    { why: 'given while none was issued', codes: [], verdict: 'none' },
    { why: 'used before', codes: [code('right', 'used')], verdict: 'none' },
    { why: 'burnt before', codes: [code('right', 'burnt')], verdict: 'none' },
    { why: 'wrong after the code was burnt', codes: [code('other', 'burnt')], verdict: 'none' },
    {
      why: 'one that a newer has replaced',
      codes: [code('other', 'outstanding'), code('right', 'replaced')],
      verdict: 'none',
    },
    {
      why: 'the outstanding one, equal by chance to an older',
      codes: [code('right', 'outstanding'), code('right', 'replaced')],
      verdict: 'right',
    },
  ])('that is $why: $verdict', ({ codes, verdict }) => {
    expect(judgeCode(codes, [Buffer.from('right')], AT)).toBe(verdict)
  })
})
