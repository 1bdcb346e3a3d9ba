import { step } from '../../../../simulator/speaker/device/device.ts'
import type { Sound } from '../../../../simulator/speaker/device/state/state.ts'
import { before, type Decide, hears } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

/** Mistakes in what the device speaks, and in what it takes for spoken. */
export const IN_WHAT_IT_SPEAKS: readonly Mutant[] = [
  {
    name: 'queues a repeat of a waiting announcement',
    mutation: () => ({ step: queuesTwice() }),
    fails: ['dedupe/repeat-while-waiting', 'dedupe/repeat-takes-no-turn', 'held/identify-again'],
  },
  {
    name: 'queues a repeat of a waiting announcement, and acks it once',
    mutation: () => ({ step: acksPlayedOnce(queuesTwice()) }),
    fails: ['dedupe/repeat-while-waiting', 'dedupe/repeat-takes-no-turn', 'held/identify-again'],
  },
  {
    name: 'acks played at volume 0',
    mutation: () => ({
      step: before('announce', ({ memory }) => ({
        memory: { ...memory, settings: { ...memory.settings, volume: memory.settings.volume || 1 } },
      })),
    }),
    fails: ['settings/muted'],
  },
  {
    name: 'counts identify as played',
    mutation: () => ({ step: counts('identify') }),
    fails: ['order/only-announcements-count', 'session/nothing-before-welcome'],
  },
  {
    name: 'counts settings as played',
    mutation: () => ({ step: counts('settings') }),
    fails: ['order/only-announcements-count', 'session/nothing-before-welcome'],
  },
  {
    name: 'applies settings of the same version',
    mutation: () => ({
      step: before('settings', ({ memory }, { d }) =>
        d.ver === memory.settings.ver
          ? { memory: { ...memory, settings: { ...memory.settings, ver: d.ver - 1 } } }
          : {},
      ),
    }),
    fails: ['settings/older'],
  },
  {
    name: 'takes the second at + ttl for past',
    mutation: () => ({ step: hears('announce', ({ ttl }) => ({ ttl: ttl - 1 })) }),
    fails: ['expiry/last-second'],
  },
  {
    name: 'takes the second after at + ttl for valid',
    mutation: () => ({ step: hears('announce', ({ ttl }) => ({ ttl: ttl + 1 })) }),
    fails: ['expiry/last-second'],
  },
  {
    name: 'is stopped for a second by a loaded machine, which is no mistake',
    mutation: () => {
      let stops = 1
      // Only expiry/last-second sends this ttl.
      return { step: hears('announce', ({ ttl }) => (ttl === 1000 && stops-- > 0 ? { ttl: 999 } : {})) }
    },
    fails: [],
  },
]

function queuesTwice(): Decide {
  return (state, event) => {
    const next = step(state, event)
    if (event.type !== 'command') return next
    const again = state.queue.filter(({ id }) => id === event.command.id)
    const queue = [...next.state.queue, ...again].sort((a: Sound, b: Sound) => a.n - b.n)
    return { ...next, state: { ...next.state, queue } }
  }
}

function acksPlayedOnce(decide: Decide): Decide {
  const played = new Set<string>()
  return (state, event) => {
    const next = decide(state, event)
    // What was not stored is sent again in the next session.
    if (event.type === 'closed') played.clear()
    const effects = next.effects.filter((effect) => {
      if (effect.type !== 'publish' || effect.message.kind !== 'ack') return true
      const { id, st, dup } = effect.message.body
      if (st !== 'played' || dup) return true
      const isFirst = !played.has(id)
      played.add(id)
      return isFirst
    })
    return { ...next, effects }
  }
}

function counts(t: 'identify' | 'settings'): Decide {
  return (state, event) => {
    const next = step(state, event)
    if (event.type !== 'command' || event.command.t !== t) return next
    const { memory } = next.state
    const played = Math.max(memory.played, event.command.n)
    return { ...next, state: { ...next.state, memory: { ...memory, played } } }
  }
}
