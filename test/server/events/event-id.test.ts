import { decodeTime } from 'ulid'
import { expect, it } from 'vitest'
import { eventId, readEventId } from '../../../server/events/event-id.ts'

const AT = Date.parse('2026-11-20T03:15:34.050Z')

it.each([
  [0, 0],
  [AT, AT * 1_000],
  [AT, Number.MAX_SAFE_INTEGER],
  [2 ** 48 - 1, 1],
])('is a ULID of the time %d and the seq %d, which can be read back', (at, seq) => {
  const id = eventId('sbc_1')(at, seq)
  expect(id).toMatch(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  expect(decodeTime(id.slice(4))).toBe(at)
  expect(readEventId('sbc_1', id)).toEqual({ at, seq })
})

it('differs by partner, and sorts by time and seq', () => {
  const [mine, theirs] = [eventId('sbc_1'), eventId('sbc_2')]
  expect(mine(AT, 1)).not.toBe(theirs(AT, 1))
  expect(readEventId('sbc_2', mine(AT, 1))).toBeUndefined()
  const ids = [mine(AT, 1), mine(AT, 2), mine(AT + 1, 1)]
  expect(ids.toSorted()).toEqual(ids)
})
