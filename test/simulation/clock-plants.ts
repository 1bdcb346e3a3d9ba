import type { ClockPlants } from './clock-world.ts'
import { inPort } from './wrap.ts'

/** Bugs in what a hub does under a wrong clock, and the promise that breaks by each. */
export const CLOCK_BUGS: readonly { name: string; breaks: string; plants: () => ClockPlants }[] = [
  {
    name: 'retention that trusts every clock',
    breaks: 'kept',
    plants: () => ({
      watch: (watch, clock) => ({
        ...watch,
        async look() {
          await watch.look()
          return clock.now()
        },
      }),
    }),
  },
  {
    name: 'a doubt that nobody remembers',
    breaks: 'kept',
    plants: () => inPort('audit', () => ({ list: async () => [] })),
  },
  {
    name: 'a deleted payment that is forgotten at once',
    breaks: 'answers',
    plants: () =>
      inPort('retention', (retention) => ({
        async prunePayments(before, after, at) {
          const pruned = await retention.prunePayments(before, after, at)
          await retention.forgetDeleted(before, '')
          return pruned
        },
      })),
  },
  {
    name: 'a hub that does not see that its clock is behind',
    breaks: 'answers',
    plants: () => ({ watch: (watch) => ({ ...watch, isBehind: () => false }) }),
  },
  {
    name: 'retention that never goes on',
    breaks: 'goes on',
    plants: () => ({ watch: (watch) => ({ ...watch, look: () => watch.look().then(() => undefined) }) }),
  },
]
