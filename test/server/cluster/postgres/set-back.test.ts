import { expect, it } from 'vitest'
import { createDatabaseClock } from '../../../../server/cluster/postgres/database-clock.ts'
import { createSetBack } from '../../../../server/cluster/postgres/set-back.ts'
import { createVirtualClock } from '../../../support/clock.ts'

/** A hub that has sampled PostgreSQL's clock, and what it stores. */
function world() {
  const machine = createVirtualClock()
  const clock = createDatabaseClock(machine, async () => undefined)
  const { note } = createSetBack({ machine })
  const stored: string[] = []
  const query = async (text: string) => {
    stored.push(text)
    return []
  }
  const databaseNow = () => machine.now() + 600_000
  clock.add(machine.elapsed(), machine.elapsed(), databaseNow())
  return { machine, clock, note, stored, query, databaseNow }
}

it('does not take an answer that was read late for a step back', async () => {
  const { machine, clock, note, stored, query, databaseNow } = world()
  const answer = { expectedAt: clock.expectedAtLeast(), at: databaseNow(), setBacks: 0 }
  // The process stands still while the answer lies in its socket.
  await machine.wind(20_000)
  await note(query, answer)
  expect(stored).toEqual([])
})

it('stores a step back once for all hubs', async () => {
  const { clock, note, stored, query, databaseNow } = world()
  const expectedAt = clock.expectedAtLeast()
  await note(query, { expectedAt, at: databaseNow() - 5_000, setBacks: 0 })
  expect(stored).toEqual([expect.stringContaining('SET set_back = true')])
  // Another hub has dealt with the next one.
  await note(query, { expectedAt, at: databaseNow() - 10_000, setBacks: 1 })
  expect(stored).toHaveLength(1)
})

it('deals with a step once, although another hub looked before and gets the lease after', async () => {
  const machine = createVirtualClock()
  const dealt: string[] = []
  let isSetBack = true
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const query = async <R>(name: string): Promise<R[]> => {
    if (name === 'setBack.done') isSetBack = false
    if (name === 'setBack.lease') released.resolve()
    return name === 'setBack.look' && isSetBack ? [Object({})] : []
  }
  const first = createSetBack({ machine }).once(
    query,
    async () => true,
    async () => {
      dealt.push('first')
      await asked.promise
    },
  )
  const late = createSetBack({ machine }).once(
    query,
    () => {
      asked.resolve()
      return released.promise.then(() => true)
    },
    async () => void dealt.push('late'),
  )
  await machine.wind(10_000)
  await Promise.all([first, late])
  expect(dealt).toEqual(['first'])
})
