import { afterEach, expect, it, vi } from 'vitest'
import { when } from '../../../server/operate/for-people.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it.each([
  ['UTC', '2026-11-20 02:11:05+00:00'],
  ['Asia/Ho_Chi_Minh', '2026-11-20 09:11:05+07:00'],
  ['America/St_Johns', '2026-11-19 22:41:05-03:30'],
  ['Asia/Kathmandu', '2026-11-20 07:56:05+05:45'],
])('writes a time of %s with its offset', (zone, text) => {
  vi.stubEnv('TZ', zone)
  const at = Date.parse('2026-11-20T02:11:05.678Z')
  expect(when(at)).toBe(text)
  expect(Date.parse(text.replace(' ', 'T'))).toBe(at - 678)
})

it('writes no time as a hyphen', () => {
  expect(when(undefined)).toBe('-')
})
