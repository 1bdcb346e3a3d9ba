import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIso8601 } from '../../../../server/platform/time/iso-8601.ts'

describe('an instant in ISO 8601', () => {
  it.each([
    { text: '2026-11-20T10:15:30.000Z', utc: '2026-11-20T10:15:30.000Z' },
    { text: '2026-11-20T10:15:30Z', utc: '2026-11-20T10:15:30.000Z' },
    { text: '2026-11-20t10:15:30z', utc: '2026-11-20T10:15:30.000Z' },
    { text: '2026-11-20T17:15:30+07:00', utc: '2026-11-20T10:15:30.000Z' },
    { text: '2026-11-20T17:15:30+0700', utc: '2026-11-20T10:15:30.000Z' },
    { text: '2026-11-20T17:15:30+07', utc: '2026-11-20T10:15:30.000Z' },
    { text: '2026-11-20T06:45:30-03:30', utc: '2026-11-20T10:15:30.000Z' },
    { text: '2026-11-20T17:15:30', utc: '2026-11-20T10:15:30.000Z' },
    { text: '2026-11-20T17:15', utc: '2026-11-20T10:15:00.000Z' },
    { text: '2026-11-20', utc: '2026-11-19T17:00:00.000Z' },
    { text: '2026-11-20T10:15:30.5Z', utc: '2026-11-20T10:15:30.500Z' },
    { text: '2026-11-20T10:15:30,25Z', utc: '2026-11-20T10:15:30.250Z' },
    { text: '2026-11-20T10:15:30.123456789Z', utc: '2026-11-20T10:15:30.123Z' },
    { text: '2028-02-29T00:00:00Z', utc: '2028-02-29T00:00:00.000Z' },
    { text: '2026-01-01T00:00:00+14:00', utc: '2025-12-31T10:00:00.000Z' },
  ])('$text is $utc', ({ text, utc }) => {
    expect(parseIso8601(text)).toBe(Date.parse(utc))
  })

  it.each([
    ...['', 'now', '1763633730', '20261120T101530Z', '2026-11', '20/11/2026', '2026-W47-5'],
    ...['2026-13-01', '2026-00-01', '2026-04-31', '2026-02-29', '2026-11-00T00:00:00Z'],
    ...['2026-11-20T24:00:00Z', '2026-11-20T10:60:00Z', '2026-11-20T10:15:60Z', '2026-11-20T10Z'],
    ...['2026-11-20T10:15:30+15:00', '2026-11-20T10:15:30+07:60', '2026-11-20T10:15:30 +07:00'],
    ...[
      '2026-11-20T10:15:30.Z',
      '2026-11-20 10:15:30Z',
      ' 2026-11-20',
      '2026-11-20T10:15:30Z\n',
      '+002026-11-20',
    ],
  ])('%j is no date', (text) => {
    expect(parseIso8601(text)).toBeUndefined()
  })

  it('gives every instant back that toISOString has written', () => {
    const date = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(date, (at) => {
        expect(parseIso8601(at.toISOString())).toBe(at.getTime())
      }),
    )
  })

  it('never throws on text from outside', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseIso8601(text)))
  })
})
