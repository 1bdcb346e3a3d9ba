import { reconcile } from '../../server/announcements/reconcile.ts'
import { step } from '../../simulator/speaker/device/device.ts'
import { type Bug, HARD } from './bug.ts'
import { onReconcile } from './wrap.ts'

/** What goes wrong around a power cut between `received` and `played`, and a payment is then told twice or never. */
export const POWER_BUGS: readonly Bug[] = [
  {
    name: 'a received that no birth voids',
    ...HARD,
    breaks: ['told once', 'receipts'],
    plants: () => onReconcile((found) => ({ ...found, voided: [] })),
  },
  {
    name: 'a void received by which an expired announcement counts as shown',
    ...HARD,
    breaks: ['told once', 'missed'],
    plants: () => ({
      rules: (rules) => ({
        ...rules,
        reconcile: (all, played, now) => ({
          ...reconcile(all, played, now),
          shown: reconcile(
            all.map((one) => ({ ...one, receivedVoidAt: undefined })),
            played,
            now,
          ).shown,
        }),
      }),
    }),
  },
  {
    name: 'a device that speaks on before the hub knows what it gave up',
    ...HARD,
    breaks: ['told once', 'receipts'],
    plants: () => ({ step: speaksOn }),
  },
  {
    name: 'a device that speaks after its birth what the hub has not sent again',
    ...HARD,
    breaks: ['told once'],
    plants: () => ({ step: keepsItsQueue }),
  },
]

/** Speaks on as soon as it has given up. */
const speaksOn: typeof step = (state, event) => {
  const first = step(state, event)
  const on = step({ ...first.state, givenUp: [] }, { type: 'ack_stored', token: -1, nowMs: event.nowMs })
  return { state: on.state, effects: [...first.effects, ...on.effects] }
}

/** Keeps at its birth what waits, with its acks. */
const keepsItsQueue: typeof step = (state, event) => {
  const next = step(state, event)
  if (event.type !== 'opened') return next
  const { queue, pendingAcks } = state
  return { ...next, state: { ...next.state, queue, pendingAcks } }
}
