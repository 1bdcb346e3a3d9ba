import { expect, it } from 'vitest'
import { createEventWaits, MOST_WAITING } from '../../../server/events/waiting.ts'
import { createLog } from '../../../server/platform/log.ts'
import { unavailable } from '../../../server/storage/shared/storage-errors.ts'
import { createVirtualClock } from '../../support/clock.ts'

function world() {
  const clock = createVirtualClock()
  const heads = new Map<string, number>()
  const asked: (readonly string[])[] = []
  const state: { error?: Error | undefined } = {}
  const events = {
    async heads(clientIds: readonly string[]) {
      asked.push(clientIds)
      if (state.error) throw state.error
      return heads
    },
  }
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const waits = createEventWaits({ events, clock, log })
  const ended: string[] = []
  const wait = (
    name: string,
    clientId: string,
    after: number,
    waitMs = 30_000,
    gone = new AbortController(),
  ) => {
    void waits
      .wait(clientId, after, waitMs, gone.signal)
      .then((isThere) => void ended.push(`${name} ${isThere ? 'has one' : 'has none'}`))
    return gone
  }
  return { clock, heads, asked, state, lines, waits, ended, wait }
}

it('ends when the partner has an event above the seq, which one question finds for all', async () => {
  const { clock, heads, asked, ended, wait } = world()
  heads.set('a', 5).set('b', 7)
  wait('first', 'a', 5)
  wait('second', 'a', 6)
  wait('third', 'b', 7)
  await clock.wind(1_000)
  expect(ended).toEqual([])
  expect(asked.length).toBeLessThanOrEqual(5)
  expect(asked.at(-1)).toEqual(['a', 'b'])
  heads.set('a', 6)
  await clock.wind(200)
  expect(ended).toEqual(['first has one'])
  heads.set('a', 7).set('b', 8)
  await clock.wind(200)
  expect(ended).toEqual(['first has one', 'second has one', 'third has one'])
  // Nobody waits: nobody asks.
  const before = asked.length
  await clock.wind(10_000)
  expect(asked.length).toBe(before)
})

it('ends when the time is over, when the client has gone, and when the hub stops', async () => {
  const { clock, waits, ended, wait } = world()
  wait('short', 'a', 0, 1_000)
  const gone = wait('gone', 'a', 0)
  wait('long', 'a', 0)
  await clock.wind(999)
  expect(ended).toEqual([])
  await clock.wind(1)
  gone.abort()
  await clock.wind(0)
  expect([ended, waits.count()]).toEqual([['short has none', 'gone has none'], 1])
  waits.stop()
  wait('late', 'a', 0)
  await clock.wind(0)
  expect([ended.slice(2), waits.count()]).toEqual([['long has none', 'late has none'], 0])
})

it.each([
  ['can not be read', unavailable(), 0],
  ['fails, which is said once', new Error('disk I/O error'), 1],
])('goes on while the storage %s', async (_, error, said) => {
  const { clock, heads, state, lines, ended, wait } = world()
  state.error = error
  wait('one', 'a', 0)
  heads.set('a', 1)
  await clock.wind(5_000)
  expect(ended).toEqual([])
  expect(lines).toHaveLength(said)
  state.error = undefined
  await clock.wind(200)
  expect(ended).toEqual(['one has one'])
})

it('is refused at once to more than its bounds, of a partner and in all', async () => {
  const { clock, waits, ended, wait } = world()
  for (let count = 0; count <= MOST_WAITING.ofPartner; count += 1) wait(`${count}`, 'a', 0)
  await clock.wind(0)
  expect(ended).toEqual([`${MOST_WAITING.ofPartner} has none`])
  for (let count = MOST_WAITING.ofPartner; count < MOST_WAITING.all; count += 1) wait('other', `b${count}`, 0)
  await clock.wind(0)
  expect(waits.count()).toBe(MOST_WAITING.all)
  wait('last', 'c', 0)
  await clock.wind(0)
  expect(ended.slice(1)).toEqual(['last has none'])
})
