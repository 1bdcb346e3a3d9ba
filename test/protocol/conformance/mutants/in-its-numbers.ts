import { NUMBER_MAX } from '../../../../protocol/messages/fields.ts'
import { step } from '../../../../simulator/speaker/device/device.ts'
import type { Decide } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

/** How a variable that is too small holds a number. */
const HOLDERS = {
  '16 bits': (n: number) => n & 0xffff,
  '24 bits': (n: number) => n & 0xff_ffff,
  '31 bits': (n: number) => n & 0x7fff_ffff,
  'a signed variable': (n: number) => n | 0,
  'a float': Math.fround,
} as const
type Holder = (n: number) => number

/** Mistakes in the type of a command number. */
export const IN_ITS_NUMBERS: readonly Mutant[] = [
  ...mutants('reads n in', reads, {
    '16 bits': [
      'numbers/compared',
      'numbers/of-screens',
      'numbers/kept',
      'numbers/kept-over-power-cut',
      'envelope/ack-names-command',
    ],
    '24 bits': [
      'numbers/compared',
      'numbers/of-screens',
      'numbers/kept',
      'numbers/kept-over-power-cut',
      'envelope/ack-names-command',
    ],
    '31 bits': ['numbers/compared', 'numbers/of-screens', 'envelope/ack-names-command'],
    'a float': [
      'numbers/of-screens',
      'numbers/kept',
      'numbers/kept-over-power-cut',
      'envelope/ack-names-command',
    ],
  }),
  ...mutants('compares the n of announcements in', compares, {
    '16 bits': ['numbers/compared', 'numbers/kept', 'numbers/kept-over-power-cut'],
    '24 bits': ['numbers/compared', 'numbers/kept', 'numbers/kept-over-power-cut'],
    '31 bits': ['numbers/compared'],
    'a signed variable': ['numbers/compared'],
    'a float': ['numbers/kept'],
  }),
  ...mutants('compares the n of screens in', comparesScreens, {
    '31 bits': ['numbers/of-screens'],
    'a signed variable': ['numbers/of-screens'],
    'a float': ['numbers/of-screens'],
  }),
  {
    name: 'takes screen commands below the last played for repeats',
    mutation: () => ({ step: comparesWithPlayed }),
    fails: ['order/payment-overtakes'],
    likely: {
      'order/payment-overtakes':
        /a new command is taken for a repeat: compare all 32 bits.*keep the numbers.*apart/,
    },
  },
  ...mutants('keeps the n of the last played in', keeps, {
    '16 bits': ['numbers/kept', 'numbers/kept-over-power-cut'],
    '24 bits': ['numbers/kept', 'numbers/kept-over-power-cut'],
    'a float': ['numbers/kept'],
  }),
]

function mutants(
  name: string,
  decide: (hold: Holder) => Decide,
  fails: Partial<Record<keyof typeof HOLDERS, readonly string[]>>,
): Mutant[] {
  return Object.entries(HOLDERS).flatMap(([where, hold]) => {
    const ids = new Map(Object.entries(fails)).get(where)
    return ids ? [{ name: `${name} ${where}`, mutation: () => ({ step: decide(hold) }), fails: ids }] : []
  })
}

function reads(hold: Holder): Decide {
  return (state, event) =>
    event.type === 'command'
      ? step(state, { ...event, command: { ...event.command, n: hold(event.command.n) } })
      : step(state, event)
}

function compares(hold: Holder): Decide {
  return (state, event) => {
    const { memory } = state
    if (event.type !== 'command' || event.command.t !== 'announce') return step(state, event)
    if (hold(event.command.n) > hold(memory.played)) return step(state, event)
    const next = step({ ...state, memory: { ...memory, played: NUMBER_MAX } }, event)
    return { ...next, state: { ...next.state, memory } }
  }
}

function comparesScreens(hold: Holder): Decide {
  return (state, event) => {
    const { link } = state
    if (event.type !== 'command' || event.command.t !== 'profile' || link.phase !== 'welcomed')
      return step(state, event)
    if (hold(event.command.n) > hold(link.shown)) return step(state, event)
    const next = step({ ...state, link: { ...link, shown: NUMBER_MAX } }, event)
    return { ...next, state: { ...next.state, link } }
  }
}

function keeps(hold: Holder): Decide {
  return (state, event) => {
    const next = step(state, event)
    const memory = { ...next.state.memory, played: hold(next.state.memory.played) }
    return { ...next, state: { ...next.state, memory } }
  }
}

/** One counter for announcements and screen commands. */
function comparesWithPlayed(...[state, event]: Parameters<Decide>): ReturnType<Decide> {
  const { link, memory } = state
  if (event.type !== 'command' || link.phase !== 'welcomed') return step(state, event)
  if (!['clear', 'code', 'qr', 'profile', 'missed'].includes(event.command.t)) return step(state, event)
  if (event.command.n > memory.played) return step(state, event)
  const next = step({ ...state, link: { ...link, shown: NUMBER_MAX } }, event)
  return { ...next, state: { ...next.state, link } }
}
