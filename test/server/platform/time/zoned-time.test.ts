import fc from 'fast-check'
import { expect, it } from 'vitest'
import { zonedTime } from '../../../../server/platform/time/zoned-time.ts'

it.each([
  ['Asia/Ho_Chi_Minh', '2026-11-20T02:11:00.005Z', '2026-11-20T09:11:00.005+07:00'],
  ['UTC', '2026-11-20T02:11:00.005Z', '2026-11-20T02:11:00.005+00:00'],
  ['America/St_Johns', '2026-11-20T02:11:00.005Z', '2026-11-19T22:41:00.005-03:30'],
  // The hour that comes twice.
  ['Europe/Berlin', '2026-10-25T00:30:00.000Z', '2026-10-25T02:30:00.000+02:00'],
  ['Europe/Berlin', '2026-10-25T01:30:00.000Z', '2026-10-25T02:30:00.000+01:00'],
  // An offset with seconds, which ISO 8601 does not have.
  ['Asia/Ho_Chi_Minh', '1906-08-16T20:26:40.000Z', '1906-08-17T03:32:40.000+07:06'],
])('writes a time of %s with the offset of that time', (zone, instant, written) => {
  expect(zonedTime(zone)(Date.parse(instant))).toBe(written)
})

it('is always the same instant', () => {
  const zones = [
    'Asia/Ho_Chi_Minh',
    'America/St_Johns',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Africa/Monrovia',
  ]
  const writers = zones.map(zonedTime)
  const instants = fc.integer({ min: Date.parse('1800-01-01'), max: Date.parse('2200-01-01') })
  fc.assert(fc.property(fc.constantFrom(...writers), instants, (write, at) => Date.parse(write(at)) === at))
})
