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
