import { expect, it } from 'vitest'
import { manageSessions } from '../../../server/operators/manage-sessions.ts'
import { IDLE_MS, LONGEST_MS, mayAct, ROLES } from '../../../server/operators/session.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { OPERATOR } from '../../support/actors.ts'
import { openTestStorage } from '../../support/storage.ts'

const START = Date.parse('2026-11-20T03:00:00.000Z')

async function loggedIn() {
  let at = START
  const clock = { ...systemClock, now: () => at }
  const { operators } = openTestStorage().storage
  const sessions = manageSessions({ operators, clock, ids: createRandomIds() })
  const begun = await sessions.logIn(await sessions.makeLink(OPERATOR, { name: 'minh', role: 'viewer' }))
  const secret = begun?.secret ?? ''
  const isGood = async (ms: number) => {
    at = START + ms
    return (await sessions.resume(secret)) !== undefined
  }
  return { isGood, seenAt: async () => (await sessions.listSessions())[0]?.seenAt }
}

it('a session ends when nobody has used it for an hour', async () => {
  const { isGood } = await loggedIn()
  expect(await isGood(IDLE_MS - 1)).toBe(true)
  expect(await isGood(2 * IDLE_MS - 2)).toBe(true)
  expect(await isGood(3 * IDLE_MS - 2)).toBe(false)
})

it('a session that is used ends after twelve hours', async () => {
  const { isGood } = await loggedIn()
  for (let ms = 0; ms < LONGEST_MS; ms += IDLE_MS / 2) expect(await isGood(ms)).toBe(true)
  expect(await isGood(LONGEST_MS)).toBe(false)
})

it('a use is stored once a minute', async () => {
  const { isGood, seenAt } = await loggedIn()
  await isGood(59_999)
  expect(await seenAt()).toBe(START)
  await isGood(60_000)
  expect(await seenAt()).toBe(START + 60_000)
})

it('a clock that was set back ends no session', async () => {
  const { isGood } = await loggedIn()
  expect(await isGood(-24 * 60 * 60_000)).toBe(true)
})

it('each role may do what those before it may', () => {
  expect(ROLES.map((role) => ROLES.filter((needed) => mayAct(role, needed)))).toEqual([
    ['viewer'],
    ['viewer', 'operator'],
    ['viewer', 'operator', 'admin'],
  ])
})
