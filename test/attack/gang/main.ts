/* The attackers' process. It takes an order, attacks until the time is over, and answers how often it did what. */

import { setPriority } from 'node:os'
import { ATTACKS } from '../attacks/attacks.ts'
import { openRound } from './round.ts'
import { order } from './target.ts'

/** On a machine with few cores the attackers would starve the hub by the scheduler alone. That is not the question. */
const PRIORITY = 15

setPriority(PRIORITY)
process.on('message', (message) => void obey(message))
process.on('disconnect', () => process.exit())

async function obey(message: unknown) {
  const { attacks, seconds, seed, target } = order.parse(message)
  const round = openRound(seconds, seed)
  const chosen = ATTACKS.filter(({ name }) => attacks.includes(name))
  await Promise.all(chosen.map(({ attack }) => attack(target, round)))
  process.send?.(round.tally)
}
