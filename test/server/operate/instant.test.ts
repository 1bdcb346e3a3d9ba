import { expect, it } from 'vitest'
import { readDuration, readInstant } from '../../../server/operate/instant.ts'

const NOW = Date.parse('2026-11-22T12:00:00.000Z')

it.each([
  ['90s', '2026-11-22T11:58:30.000Z'],
  ['10m', '2026-11-22T11:50:00.000Z'],
  ['24h', '2026-11-21T12:00:00.000Z'],
  ['7d', '2026-11-15T12:00:00.000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T08:30', '2026-11-20T08:30:00.000Z'],
  ['2026-11-20 08:30:15', '2026-11-20T08:30:15.000Z'],
  ['2026-11-20T08:30:15+07:00', '2026-11-20T01:30:15.000Z'],
])('%s is the instant %s', (text, instant) => {
  expect(readInstant(text, NOW)).toBe(Date.parse(instant))
})

it.each(['', '0h', '10', 'h', '10 m', '-5m', '1w', '2026-13-01', '20.11.2026', 'yesterday'])(
  '%j is no instant',
  (text) => {
    expect(readInstant(text, NOW)).toBeUndefined()
    expect(readDuration(text)).toBeUndefined()
  },
)
