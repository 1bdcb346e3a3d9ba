import { step } from '../../../../simulator/speaker/device/device.ts'
import { acks, type Decide, does, oneAtATime } from '../support/steps.ts'
import type { Mutant } from './mutant.ts'

/** Mistakes in what the device says and when it says it. */
export const IN_WHAT_IT_ANSWERS: readonly Mutant[] = [
  {
    name: 'forgets at its birth that it has shown a command',
    mutation: () => ({
      step: (state, event) => {
        const kept = state.pendingAcks.filter(({ body }) => body.st !== 'shown')
        return step(event.type === 'opened' ? { ...state, pendingAcks: kept } : state, event)
      },
    }),
    fails: ['ack/shown-again', 'held/acks-among-many'],
  },
  {
    name: 'answers no repeat',
    mutation: () => ({ step: acks((body) => (body.dup ? [] : [body])) }),
    fails: [
      'screen/missed-unseen',
      'held/identify-of-a-session',
      'held/unlinked-by-welcome',
      'order/numbers-over-welcome',
      'session/welcome-repeated',
      'dedupe/repeat-when-played',
      'dedupe/repeat-not-played-yet',
      'dedupe/repeat-while-speaking',
      'dedupe/number-not-above',
      'dedupe/repeat-of-played-when-late',
      'dedupe/played-over-reconnect',
      'dedupe/cut-while-speaking',
      'dedupe/played-over-power-cut',
      'dedupe/power-cut-while-speaking',
      'expiry/welcome-replayed',
      'order/older-screen-command',
      'order/screen-repeat',
      'settings/older',
      'dedupe/repeat-while-waiting',
      'numbers/kept',
      'held/identify-again',
      'held/sum-of-repeat',
      'held/full-queue',
      'order/older-qr',
      'dedupe/power-cut-with-one-waiting',
    ],
    warns: [
      'ack/none-before-welcome',
      'dedupe/repeat-of-failed',
      'settings/muted',
      'held/failures-of-several',
    ],
    likely: { 'settings/older': /a repeat is not acked/ },
  },
  {
    name: 'acks a repeat as played, and speaks it again',
    mutation: () => ({ step: speaksInSecret() }),
    fails: ['dedupe/repeat-when-played', 'dedupe/number-not-above', 'dedupe/played-over-power-cut'],
  },
  {
    name: 'acks played before received',
    mutation: () => ({ step: playsOnPaper() }),
    fails: [
      'dedupe/repeat-not-played-yet',
      'held/muted-while-waiting',
      'power/without-puback',
      'expiry/while-waiting',
      'envelope/unknown-fields',
      'envelope/spelled-otherwise',
      'ack/announce',
      'dedupe/repeat-when-played',
      'dedupe/repeat-while-speaking',
      'dedupe/number-not-above',
      'dedupe/repeat-of-played-when-late',
      'dedupe/mqtt-duplicate',
      'dedupe/played-over-reconnect',
      'dedupe/cut-while-speaking',
      'dedupe/power-cut-while-speaking',
      'expiry/clock-of-welcome',
      'expiry/beyond-32-bits',
      'order/in-turn',
      'order/code-overtakes',
      'screen/paid',
      'reconnection/cut-within-packet',
      'dedupe/repeat-while-waiting',
      'envelope/nested-deep',
      'expiry/last-second',
      'numbers/kept',
      'order/only-announcements-count',
      'screen/not-paid',
      'screen/paid-longest-bill',
      'ack/resent-when-not-stored',
      'power/before-welcome',
      'power/given-up',
      'power/not-sent-again',
      'held/acks-of-several',
      'held/by-number',
      'held/identify-again',
      'held/next-after-expired',
      'power/without-connection',
      'held/sum-of-repeat',
      'dedupe/mqtt-mark',
      'held/full-queue',
      'screen/locked-speaks',
      'dedupe/power-cut-with-one-waiting',
      'order/code-while-speaking',
      'held/identify-overtaken',
      'held/acks-among-many',
    ],
    likely: { 'ack/announce': /`played` is acked without `received`, or before it/ },
  },
  {
    name: 'answers nothing to what it does not know',
    mutation: () => ({ step: does((effects, { type }) => (type === 'unknown_command' ? [] : effects)) }),
    fails: [
      'envelope/no-body',
      'envelope/exponent-in-body',
      'envelope/unknown-type',
      'envelope/body-lacks-field',
      'envelope/body-wrong-type',
      'envelope/body-no-object',
      'limits/longest-type',
      'limits/shortest-type',
      'ack/none-before-welcome',
      'ack/not-again-in-session',
      'envelope/amount-out-of-range',
      'envelope/qr-lacks-field',
      'envelope/screen-out-of-range',
      'settings/out-of-range',
      'envelope/similar-type',
      'held/acks-among-many',
    ],
  },
  {
    name: 'gives no reason why it failed',
    mutation: () => ({ step: acks(({ rc: _, ...body }) => [body]) }),
    fails: [
      'screen/locked-no-qr',
      'expiry/last-second-of-code',
      'envelope/no-body',
      'expiry/screens-on-arrival',
      'expiry/settings-on-arrival',
      'held/muted-while-waiting',
      'ack/identify-muted',
      'envelope/exponent-in-body',
      'envelope/unknown-type',
      'envelope/body-lacks-field',
      'envelope/body-wrong-type',
      'envelope/body-no-object',
      'envelope/unknown-clip',
      'expiry/announce-on-arrival',
      'expiry/code-on-arrival',
      'expiry/qr-on-arrival',
      'expiry/while-waiting',
      'expiry/clock-of-welcome',
      'expiry/welcome-repeated',
      'expiry/welcome-replayed',
      'expiry/clock-set-back',
      'expiry/last-second',
      'expiry/clock-not-moved-back',
      'envelope/ack-reason',
      'settings/muted',
      'power/given-up',
      'held/late-alone',
      'limits/longest-type',
      'limits/shortest-type',
      'held/sum-of-repeat',
      'envelope/amount-out-of-range',
      'envelope/qr-lacks-field',
      'envelope/screen-out-of-range',
      'screen/locked-serves',
      'settings/out-of-range',
      'expiry/after-2038',
      'envelope/similar-type',
    ],
    warns: ['size/over-buffer', 'held/over-on-arrival'],
    likely: { 'expiry/code-on-arrival': /`rc` is left out/ },
  },
  {
    name: 'takes one announcement at a time, and fails the next',
    mutation: () => ({ step: failsAsBusy() }),
    profile: { queue: false },
    only: ['order'],
    fails: ['order/no-room'],
  },
  {
    name: 'fails as busy while it speaks',
    mutation: () => ({ step: failsAsBusy() }),
    fails: [
      'held/muted-while-waiting',
      'expiry/while-waiting',
      'order/in-turn',
      'dedupe/repeat-takes-no-turn',
      'dedupe/repeat-while-waiting',
      'power/before-welcome',
      'power/given-up',
      'power/not-sent-again',
      'held/by-number',
      'held/next-after-expired',
      'power/without-connection',
      'held/sum-of-repeat',
      'held/full-queue',
      'dedupe/power-cut-with-one-waiting',
    ],
    warns: ['ack/never-busy', 'dedupe/repeat-of-failed'],
  },
  {
    name: 'reports no settings',
    mutation: () => ({
      step: does((effects) =>
        effects.filter((effect) => effect.type !== 'publish' || effect.message.kind !== 'settings'),
      ),
    }),
    fails: [
      'settings/applied',
      'settings/unknown-setting',
      'settings/older',
      'settings/version-in-birth',
      'settings/told-if-unknown',
      'settings/told-if-other',
      'settings/kept-over-power-cut',
      'settings/language',
      'settings/out-of-range',
      'settings/language-over-power-cut',
      'numbers/version-kept',
    ],
  },
  {
    name: 'reports settings only when it gets new ones',
    mutation: () => ({ step: reportsAtWelcome(() => false) }),
    fails: ['settings/told-if-unknown', 'settings/told-if-other', 'settings/language-over-power-cut'],
  },
  {
    name: 'reports settings to a hub that knows none, and not to one that knows others',
    mutation: () => ({ step: reportsAtWelcome((known) => known === undefined) }),
    fails: ['settings/told-if-other'],
  },
  {
    name: 'executes a command that is larger than its buffer',
    mutation: () => ({
      step: (state, event) => step(state, event.type === 'command' ? { ...event, bytes: 0 } : event),
    }),
    fails: ['size/over-buffer'],
  },
  {
    name: 'says received before it fails',
    mutation: () => ({
      step: acks(({ rc, ...body }) => {
        const failed = rc === undefined ? body : { ...body, rc }
        return body.st === 'failed' && !body.dup ? [{ ...body, st: 'received' }, failed] : [failed]
      }),
    }),
    fails: [
      'ack/failed-alone',
      'ack/none-before-welcome',
      'size/over-buffer',
      'held/late-alone',
      'power/given-up',
    ],
  },
]

/** Reports its settings at a welcome only if the known version asks for it. */
function reportsAtWelcome(asks: (known: number | undefined) => boolean): Decide {
  return does((effects, event) => {
    if (event.type !== 'command' || event.command.t !== 'welcome' || asks(event.command.d.settings))
      return effects
    return effects.filter((effect) => effect.type !== 'publish' || effect.message.kind !== 'settings')
  })
}

/** Acks a repeat as it should, and speaks it all the same: only ears can tell. */
function speaksInSecret(): Decide {
  return does((effects) =>
    effects.flatMap((effect) => {
      if (effect.type !== 'emit' || effect.event.event !== 'repeat') return [effect]
      const { n, stage, t } = effect.event
      if (t !== 'announce' || stage !== 'played') return [effect]
      const sentence = { amount: '5000', currency: 'VND', text: '', lang: 'vi', clips: '' } as const
      return [effect, { type: 'emit', event: { event: 'announce', n, ...sentence } }]
    }),
  )
}

/** Tells of the sound as soon as the announcement is there, then of its arrival. */
function playsOnPaper(): Decide {
  return acks((body, _state, t) => {
    if (t !== 'announce' || body.dup) return [body]
    if (body.st === 'played') return []
    return body.st === 'received' ? [{ ...body, st: 'played' }, body] : [body]
  })
}

/** Ends what comes while it speaks, so that the hub never sends it again. */
function failsAsBusy(): Decide {
  return oneAtATime(({ id, n }) => {
    const body = { t: 'ack', id, n, st: 'failed', rc: 'busy' } as const
    return [{ type: 'publish', message: { kind: 'ack', body, token: 0 } }]
  })
}
