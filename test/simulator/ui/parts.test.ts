import { describe, expect, it } from 'vitest'
import { bigDigits } from '../../../simulator/ui/big-digits.ts'
import { actionOf, KEYS } from '../../../simulator/ui/keys.ts'
import { wrap } from '../../../simulator/ui/log.tsx'
import { logLine } from '../../../simulator/ui/log-lines.ts'
import { formatAmount } from '../../../simulator/ui/money.ts'

describe('amounts', () => {
  it.each([
    ['1', '1 ₫'],
    ['999', '999 ₫'],
    ['50000', '50.000 ₫'],
    ['9999999999999', '9.999.999.999.999 ₫'],
  ])('%s reads %s', (amount, text) => expect(formatAmount(amount)).toBe(text))
})

describe('large digits', () => {
  it('are five rows of equal width, and no two look alike', () => {
    const rows = bigDigits('0123456789')
    expect(rows).toHaveLength(5)
    expect(new Set(rows.map((row) => row.length)).size).toBe(1)
    expect(new Set([...'0123456789'].map((digit) => bigDigits(digit).join('\n'))).size).toBe(10)
  })
})

describe('keys', () => {
  it('are distinct, and Ctrl+C quits', () => {
    expect(new Set(KEYS.map(({ key }) => key)).size).toBe(KEYS.length)
    expect(actionOf('c', { ctrl: true })).toBe('quit')
    expect(actionOf('q', { ctrl: true })).toBeUndefined()
    expect(actionOf('r', { ctrl: false })).toBe('reconnect')
  })
})

describe('lines', () => {
  it('break at spaces where they can', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three'])
    expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
    expect(wrap('', 4)).toEqual([''])
  })

  it('tell packets out, packets in and happenings apart', () => {
    const message = {
      topic: 'ack',
      t: 'ack',
      n: 4,
      stage: 'failed',
      rc: 'expired',
      dup: true,
      bytes: 120,
      frame: '',
    } as const
    const note = { direction: 'out', packet: 'publish', message } as const
    expect(logLine({ atMs: 0, kind: 'packet', note })).toMatchObject({
      mark: '→',
      text: 'ack #4 failed expired dup 120 B',
    })
    expect(
      logLine({ atMs: 0, kind: 'packet', note: { direction: 'in', packet: 'pingresp' } }),
    ).toBeUndefined()
    expect(logLine({ atMs: 0, kind: 'happening', happening: { event: 'played', n: 4 } })).toMatchObject({
      mark: '•',
      text: 'played #4',
    })
  })
})
