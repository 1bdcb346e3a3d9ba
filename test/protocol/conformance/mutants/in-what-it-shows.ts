import { NUMBER_MAX } from '../../../../protocol/messages/fields.ts'
import { step } from '../../../../simulator/speaker/device/device.ts'
import type { DeviceState } from '../../../../simulator/speaker/device/state/state.ts'
import { acks, before, type Decide, hears } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

const FOR_EVER = 4e9

/** Mistakes in what a shop sees and hears, and in what the device says that it can. */
export const IN_WHAT_IT_SHOWS: readonly Mutant[] = [
  {
    name: 'has no English clips, and reports that it has them',
    mutation: () => ({
      step: before('announce', ({ config }, { d }) => ({
        config: { ...config, languages: d.lang === 'en' ? ['vi'] : ['vi', 'en'] },
      })),
    }),
    fails: ['ack/announce-english'],
  },
  {
    name: 'lacks a clip',
    mutation: () => ({
      step: hears('announce', ({ d }) =>
        d.clips.includes('linh') ? { d: { ...d, clips: 'no-such-clip' } } : {},
      ),
    }),
    fails: ['ack/announce-vietnamese'],
  },
  {
    name: 'beeps, and does not report it',
    mutation: () => ({
      step: acks((body, _state, t) => (t === 'identify' && body.st === 'played' ? [] : [body])),
    }),
    fails: [
      'held/identify-of-a-session',
      'ack/identify',
      'order/only-announcements-count',
      'held/identify-again',
    ],
    warns: ['held/identify-overtaken'],
  },
  {
    name: 'does not say that a code is shown',
    mutation: () => ({
      step: acks((body, _state, t) => (t === 'code' && body.st === 'shown' ? [] : [body])),
    }),
    fails: [
      'expiry/last-second-of-code',
      'screen/unlinked-keeps-code',
      'ack/code',
      'ack/clear',
      'order/older-screen-command',
      'order/numbers-of-a-session',
      'screen/code-in-front',
      'held/received-first',
      'order/older-qr',
      'screen/expired-go',
      'screen/locked-serves',
      'screen/missed-under-code',
      'limits/latest-exp',
    ],
  },
  {
    name: 'clears nothing',
    mutation: () => ({ step: keeping('clear', ({ code, qr }) => ({ code, qr })) }),
    fails: [
      'held/unlinked-by-welcome',
      'ack/clear',
      'screen/clears-what-it-names',
      'screen/missed-after-qr',
      'screen/missed-comes-back',
      'screen/unlinked',
      'held/missed-stays',
      'screen/locked-no-qr',
      'order/older-qr',
      'screen/locked-serves',
      'screen/missed-replaced',
      'screen/missed-unseen',
      'screen/no-older-qr',
      'screen/unlinked-frees-screen',
    ],
    warns: ['screen/code-in-front'],
  },
  {
    name: 'fails to clear what is not there',
    mutation: () => ({
      step: acks((body, { code, qr }, t) => {
        if (t !== 'clear' || code || qr || body.st === 'received' || body.dup) return [body]
        return body.st === 'shown' ? [{ ...body, st: 'failed', rc: 'display_failed' }] : [body]
      }),
    }),
    fails: ['ack/clear-nothing', 'order/screen-repeat', 'expiry/after-2038', 'held/acks-among-many'],
  },
  {
    name: 'shows names in ASCII alone',
    mutation: () => ({
      step: hears('profile', ({ d }) => ({ d: { ...d, name: d.name.replace(/[^ -~]/g, '?') } })),
    }),
    fails: ['ack/profile', 'envelope/escapes', 'size/longest-name'],
  },
  {
    name: 'speaks missed payments',
    mutation: () => ({
      step: acks((body, _state, t) =>
        t === 'missed' && body.st === 'shown' ? [body, { ...body, st: 'played' }] : [body],
      ),
    }),
    fails: ['ack/missed'],
  },
  {
    name: 'shows another QR',
    mutation: () => ({ step: hears('qr', ({ d }) => ({ d: { ...d, qr: 'another' } })) }),
    fails: [
      'ack/qr',
      'screen/clears-what-it-names',
      'screen/not-paid',
      'size/longest-qr',
      'held/unlinked-by-welcome',
      'screen/locked-no-qr',
      'order/older-qr',
    ],
    warns: ['screen/code-in-front'],
  },
  {
    name: 'leaves an old code on the screen',
    mutation: () => ({ step: hears('code', ({ d }) => ({ d: { ...d, exp: FOR_EVER } })) }),
    fails: ['screen/expired-go'],
    warns: ['held/over-on-arrival'],
  },
  {
    name: 'leaves an old QR on the screen',
    mutation: () => ({ step: hears('qr', ({ d }) => ({ d: { ...d, exp: FOR_EVER } })) }),
    fails: ['screen/expired-go'],
    warns: ['held/over-on-arrival'],
  },
  {
    name: 'shows an older QR',
    mutation: () => ({ step: takesOlder('qr') }),
    fails: ['order/older-qr'],
  },
  {
    name: 'shows an older name',
    mutation: () => ({ step: takesOlder('profile') }),
    fails: ['order/older-screen-command', 'order/older-qr'],
  },
  {
    name: 'obeys an older clear',
    mutation: () => ({ step: takesOlder('clear') }),
    fails: ['order/older-screen-command', 'order/screen-repeat'],
  },
  {
    name: 'keeps a code for ever that was good when it came',
    mutation: () => ({ step: keepsForEver('code') }),
    fails: ['screen/expired-go'],
    likely: { 'screen/expired-go': /a code or a QR stays on the screen after its `exp`/ },
  },
  {
    name: 'keeps a QR for ever that was good when it came',
    mutation: () => ({ step: keepsForEver('qr') }),
    fails: ['screen/expired-go'],
  },
  {
    name: 'has no QRs, and keeps a code for ever',
    profile: { caps: ['speaker', 'screen'] },
    only: ['screen'],
    mutation: () => ({ step: keepsForEver('code') }),
    fails: ['screen/code-goes'],
  },
  {
    name: 'keeps the QR of a shop that it has left, or that has locked it',
    mutation: () => ({ step: keeping('profile', ({ qr }) => ({ qr })) }),
    fails: ['screen/locked-no-qr', 'screen/locked-serves', 'screen/missed-under-code'],
    warns: ['screen/unlinked', 'screen/unlinked-frees-screen'],
  },
  {
    name: 'has a smaller buffer than it reports',
    mutation: () => ({
      step: (state, event) =>
        step(state, event.type === 'command' && event.bytes > 450 ? { ...event, bytes: 1e6 } : event),
    }),
    fails: ['size/full-buffer', 'size/longest-name', 'size/longest-qr'],
  },
  {
    name: 'has no screen, and says that it shows',
    mutation: () => ({}),
    profile: { caps: ['speaker'] },
    only: ['ack/no-screen'],
    fails: [],
    warns: ['ack/no-screen'],
  },
  {
    name: 'has a clock, and trusts it more than the hub',
    mutation: () => ({
      step: (state, event) => {
        const next = step(state, event)
        return { ...next, state: { ...next.state, hubAheadMs: 0 } }
      },
    }),
    profile: { clock: 'own' },
    only: ['expiry/clock-of-welcome-preferred'],
    fails: [],
    warns: ['expiry/clock-of-welcome-preferred'],
  },
  {
    name: 'does not ack its welcome',
    mutation: () => ({ step: acks((body, _state, t) => (t === 'welcome' ? [] : [body])) }),
    only: ['session/opens'],
    fails: ['session/opens'],
  },
  {
    name: 'stays away for a quarter of an hour',
    mutation: () => ({ random: () => 900 }),
    only: ['reconnection/after-cut'],
    fails: ['reconnection/after-cut'],
    likely: { 'reconnection/after-cut': /no connection came: a device comes back/ },
  },
]

/** Takes no command of this type for a repeat. */
function takesOlder(t: 'qr' | 'profile' | 'clear'): Decide {
  return before(t, ({ link }) => (link.phase === 'welcomed' ? { link: { ...link, shown: 0 } } : {}))
}

/** Compares its `exp` only when it comes. */
function keepsForEver(t: 'code' | 'qr'): Decide {
  return (state, event) => {
    if (event.type !== 'command' || event.command.t !== t) return step(state, event)
    const { command } = event
    const isGood = command.d.exp * 1000 >= event.nowMs + state.hubAheadMs
    const d = isGood ? { ...command.d, exp: NUMBER_MAX } : command.d
    return step(state, { ...event, command: { ...command, d } as typeof command })
  }
}

/** Obeys a command, but for a part of what it had. */
function keeping(t: 'clear' | 'profile', part: (state: DeviceState) => Partial<DeviceState>): Decide {
  return (state, event) => {
    const decided = step(state, event)
    if (event.type !== 'command' || event.command.t !== t) return decided
    return { ...decided, state: { ...decided.state, ...part(state) } }
  }
}
