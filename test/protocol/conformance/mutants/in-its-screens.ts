import { step } from '../../../../simulator/speaker/device/device.ts'
import { MISSED_MS } from '../../../../simulator/speaker/device/screens.ts'
import type { DeviceState } from '../../../../simulator/speaker/device/state/state.ts'
import { acks, after, before, type Decide, hears } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

type Qr = DeviceState['qr']

/** Mistakes in what a device takes for paid, and in what a screen still shows. */
export const IN_ITS_SCREENS: readonly Mutant[] = [
  {
    name: 'removes the code when its shop is gone',
    mutation: () => ({
      step: (state, event) => {
        const { effects, state: next } = step(state, event)
        return { effects, state: next.linked ? next : { ...next, code: undefined } }
      },
    }),
    fails: [],
    warns: ['screen/unlinked-keeps-code'],
  },
  {
    name: 'shows a QR as paid at another amount',
    mutation: () => ({
      step: hears('announce', ({ d }, { qr }) =>
        qr && qr.bill === d.bill ? { d: { ...d, amount: qr.amount } } : {},
      ),
    }),
    fails: ['screen/not-paid'],
  },
  {
    name: 'shows a QR as paid at any payment',
    mutation: () => ({
      step: hears('announce', ({ d }, { qr }) =>
        qr ? { d: { ...d, amount: qr.amount, bill: qr.bill } } : {},
      ),
    }),
    fails: ['screen/not-paid'],
  },
  {
    name: 'compares the first 32 characters of a bill',
    mutation: () => ({
      step: hears('announce', ({ d }, { qr }) =>
        qr && d.bill?.slice(0, 32) === qr.bill.slice(0, 32) ? { d: { ...d, bill: qr.bill } } : {},
      ),
    }),
    fails: ['screen/not-paid'],
  },
  {
    name: 'keeps 32 characters of the bill of a payment',
    mutation: () => ({
      step: hears('announce', ({ d }) =>
        d.bill === undefined ? {} : { d: { ...d, bill: d.bill.slice(0, 32) } },
      ),
    }),
    fails: [],
    warns: ['screen/paid-longest-bill'],
  },
  {
    name: 'brings back the QR before the one that is cleared',
    mutation: () => ({ step: stacksQrs() }),
    fails: ['screen/no-older-qr'],
  },
  {
    name: 'clears the QR with the code',
    mutation: () => ({ step: clearsToo('code', { qr: undefined }) }),
    fails: ['screen/clears-what-it-names'],
    warns: ['screen/code-in-front'],
  },
  {
    name: 'clears the code with the QR',
    mutation: () => ({ step: clearsToo('qr', { code: undefined }) }),
    fails: ['screen/clears-what-it-names'],
  },
  {
    name: 'shows a QR in front of a code',
    mutation: () => ({ step: hidesCodes }),
    only: ['screen/code-in-front'],
    fails: [],
    warns: ['screen/code-in-front'],
  },
  {
    name: 'does not know what a lock is',
    mutation: () => ({ step: hears('profile', ({ d: { name, qr } }) => ({ d: { name, qr } })) }),
    fails: ['ack/locked', 'screen/locked-no-qr', 'screen/locked-serves'],
  },
  {
    name: 'shows a QR while it is locked',
    mutation: () => ({
      step: before('qr', ({ profile }) => ({ profile: profile && { ...profile, locked: false } })),
    }),
    fails: ['screen/locked-no-qr', 'screen/locked-serves'],
  },
  {
    name: 'shows a code as a number',
    mutation: () => ({ step: hears('code', ({ d }) => ({ d: { ...d, code: String(Number(d.code)) } })) }),
    fails: ['ack/code'],
  },
  {
    name: 'cuts the amount of a QR to 32 bits',
    mutation: () => ({
      step: hears('qr', ({ d }) => ({ d: { ...d, amount: String(Number(d.amount) % 2 ** 32) } })),
    }),
    fails: ['ack/qr'],
  },
  {
    name: 'cuts the text of a QR after 255 bytes',
    mutation: () => ({ step: hears('qr', ({ d }) => ({ d: { ...d, qr: d.qr.slice(0, 255) } })) }),
    fails: ['size/longest-qr'],
  },
  {
    name: 'has room for 128 bytes of a name',
    mutation: () => ({
      step: (state, event) => {
        if (event.type !== 'command' || event.command.t !== 'profile') return step(state, event)
        const { t, id, n, d } = event.command
        if (Buffer.byteLength(d.name) <= 128) return step(state, event)
        return step(state, { type: 'unknown_command', nowMs: event.nowMs, t, id, n })
      },
    }),
    fails: ['size/longest-name'],
  },
  {
    name: 'shows the missed payments of another shop',
    mutation: () => ({
      step: (state, event) => {
        const next = step(state, event)
        const isProfile = event.type === 'command' && event.command.t === 'profile'
        return isProfile ? { ...next, state: { ...next.state, missed: state.missed } } : next
      },
    }),
    fails: [],
    warns: ['screen/unlinked'],
  },
  {
    name: 'keeps the QR of a shop that it has left',
    mutation: () => ({
      step: after('profile', (decided, { d }, { qr }) =>
        d.name === '' && d.qr === '' ? { ...decided, state: { ...decided.state, qr } } : decided,
      ),
    }),
    fails: [],
    warns: ['screen/unlinked', 'screen/unlinked-frees-screen'],
  },
  {
    name: 'takes a shop without a static QR for none',
    mutation: () => ({
      step: after('profile', (decided, { d }) =>
        d.qr === '' ? { ...decided, state: { ...decided.state, qr: undefined } } : decided,
      ),
    }),
    fails: [],
    warns: ['screen/unlinked-frees-screen'],
  },
  {
    name: 'forgets missed payments when a name comes without a QR',
    mutation: () => ({
      step: after('profile', (decided, { d }) =>
        d.qr === '' ? { ...decided, state: { ...decided.state, missed: undefined } } : decided,
      ),
    }),
    fails: ['screen/unlinked-frees-screen'],
  },
  {
    name: 'shows no code while it is locked',
    mutation: () => ({ step: refusesWhenLocked('code') }),
    fails: ['screen/locked-serves'],
  },
  {
    name: 'speaks nothing while it is locked',
    mutation: () => ({ step: refusesWhenLocked('announce') }),
    fails: ['screen/locked-speaks'],
  },
  {
    name: 'says that a notice is shown while a code covers it',
    mutation: () => ({
      step: acks((body, { code }, t) =>
        t === 'missed' && body.st === 'received' && code ? [body, { ...body, st: 'shown' }] : [body],
      ),
    }),
    fails: [],
    warns: ['screen/missed-under-code'],
  },
  {
    name: 'says that a notice is shown while a QR covers it',
    mutation: () => ({
      step: acks((body, _, t) =>
        t === 'missed' && body.st === 'received' && !body.dup ? [body, { ...body, st: 'shown' }] : [body],
      ),
    }),
    fails: ['held/missed-stays'],
    warns: ['screen/unlinked-frees-screen', 'screen/missed-under-code', 'screen/missed-unseen'],
  },
  {
    name: 'says at a repeat that a covered notice is shown',
    mutation: () => ({
      step: acks((body, _, t) =>
        t === 'missed' && body.st === 'received' && body.dup ? [{ ...body, st: 'shown' }] : [body],
      ),
    }),
    fails: [],
    warns: ['screen/missed-unseen'],
  },
  {
    name: 'forgets a notice when a QR comes',
    mutation: () => ({
      step: after('qr', (decided) => ({ ...decided, state: { ...decided.state, missed: undefined } })),
    }),
    fails: ['screen/missed-comes-back'],
  },
  {
    name: 'counts the time of missed payments under a QR',
    mutation: () => ({ step: countsHiddenTime() }),
    only: ['screen/missed-outlasts-qr'],
    fails: ['screen/missed-outlasts-qr'],
  },
]

function refusesWhenLocked(type: 'code' | 'announce'): Decide {
  return (state, event) => {
    if (!state.profile?.locked || event.type !== 'command' || event.command.t !== type)
      return step(state, event)
    const { t, id, n } = event.command
    return step(state, { type: 'unknown_command', nowMs: event.nowMs, t, id, n })
  }
}

function countsHiddenTime(): Decide {
  let sinceMs: number | undefined
  return (state, event) => {
    const next = step(state, event)
    sinceMs = next.state.missed ? (sinceMs ?? event.nowMs) : undefined
    const isOver = sinceMs !== undefined && event.nowMs > sinceMs + MISSED_MS
    return isOver ? { ...next, state: { ...next.state, missed: undefined } } : next
  }
}

function stacksQrs(): Decide {
  let below: Qr
  return (state, event) => {
    const next = step(state, event)
    if (event.type !== 'command') return next
    const { command } = event
    if (command.t === 'qr') below = state.qr
    if (command.t !== 'clear' || command.d.what !== 'qr') return next
    const qr = below
    below = undefined
    return { ...next, state: { ...next.state, qr } }
  }
}

const hidesCodes: Decide = (state, event) => {
  const next = step(state, event)
  const isHidden = next.state.qr && event.type === 'command' && event.command.t === 'code'
  return isHidden ? { ...next, state: { ...next.state, code: undefined } } : next
}

function clearsToo(what: 'code' | 'qr', lost: Partial<DeviceState>): Decide {
  return (state, event) => {
    const next = step(state, event)
    if (event.type !== 'command' || event.command.t !== 'clear' || event.command.d.what !== what) return next
    return { ...next, state: { ...next.state, ...lost } }
  }
}
