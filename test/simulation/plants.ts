import type { Announcement } from '../../server/announcements/announcement.ts'
import type { PaymentResult } from '../../server/payments/ports.ts'
import { step } from '../../simulator/speaker/device/device.ts'
import type { Effect } from '../../simulator/speaker/device/state/effects.ts'
import { type Bug, EASY, HARD } from './bug.ts'
import { EVENT_BUGS } from './event-plants.ts'
import { GATE_BUGS } from './gate-plants.ts'
import { HUB_BUGS } from './hub-plants.ts'
import { POWER_BUGS } from './power-plants.ts'
import { WEBHOOK_BUGS } from './webhook-plants.ts'
import type { Plants } from './world.ts'
import { inPort, onReconcile } from './wrap.ts'

const MINUTES_MS = 60_000

export const BUGS: readonly Bug[] = [
  {
    name: 'a device that does not write down what it has played',
    ...HARD,
    breaks: ['at most once'],
    plants: () => inDevice((effect) => effect.type !== 'persist'),
  },
  {
    name: 'a device that acks what it has not said',
    ...EASY,
    breaks: ['receipts'],
    plants: () =>
      inDevice((effect) => {
        const isSaid = effect.type === 'emit' && effect.event.event === 'announce'
        return !isSaid && effect.type !== 'persist'
      }),
  },
  {
    name: 'an announcement that leaves before it is on record as sent',
    ...EASY,
    breaks: ['sent on record'],
    plants: () =>
      inPort('outbox', (outbox) => ({
        async markSent(...args) {
          outbox.markSent(...args).catch(() => undefined)
          return 'sent'
        },
      })),
  },
  {
    name: 'an announcement that leaves although it has ended meanwhile',
    ...HARD,
    breaks: ['sent on record'],
    plants: () =>
      inPort('outbox', (outbox) => ({
        async markSent(...args) {
          await outbox.markSent(...args)
          return 'sent'
        },
        isOpen: async () => true,
      })),
  },
  {
    name: 'an outbox that does not know that news gets old',
    ...HARD,
    breaks: ['never late', 'rest'],
    plants: () =>
      inPort('outbox', (outbox) => ({
        expire: async () => [],
        async begin(deviceId, at, birth) {
          const start = await outbox.begin(deviceId, at - 10 * MINUTES_MS, birth)
          return start && { ...start, open: start.open.map(freshAgain) }
        },
        async open(deviceId, at) {
          return (await outbox.open(deviceId, at - 10 * MINUTES_MS)).map(freshAgain)
        },
      })),
  },
  {
    name: 'an outbox that is not looked into at a birth',
    ...EASY,
    breaks: ['at least once'],
    plants: () =>
      inPort('outbox', (outbox) => ({
        open: async () => [],
        async begin(...args) {
          const start = await outbox.begin(...args)
          return start && { ...start, open: [] }
        },
      })),
  },
  {
    name: 'an outbox that does not number anew after a restore',
    ...HARD,
    breaks: ['receipts', 'told once'],
    plants: () => onReconcile((found) => ({ ...found, renumbered: [] })),
    kind: { restores: true },
  },
  {
    name: 'payments that were missed and are never shown',
    ...HARD,
    breaks: ['missed'],
    plants: () => inPort('outbox', () => ({ missed: async () => undefined })),
  },
  {
    name: 'a sweep that ends what has still time',
    ...EASY,
    breaks: ['stages'],
    plants: () => inPort('outbox', (outbox) => ({ expire: (at) => outbox.expire(at + 2 * MINUTES_MS) })),
  },
  {
    name: 'a number that is given to two commands',
    ...EASY,
    breaks: ['frames', 'receipts'],
    plants: () =>
      inPort('outbox', (outbox) => ({
        async nextNumber(deviceId) {
          const n = await outbox.nextNumber(deviceId)
          return n === undefined ? n : evenNumber(n)
        },
        async begin(...args) {
          const start = await outbox.begin(...args)
          return start && { ...start, numbers: start.numbers.map(evenNumber) }
        },
      })),
  },
  {
    name: 'a payment that is counted at every report',
    ...EASY,
    breaks: ['money', 'answers'],
    plants: () =>
      inPort('payments', (payments) => ({
        record: (payment) => payments.record({ ...payment, dedupeKey: payment.id }),
      })),
  },
  {
    name: 'a payment that is answered before it is on disk',
    ...EASY,
    breaks: ['money', 'answers'],
    plants: answeredTooSoon,
  },
  {
    name: 'a receipt of one speaker that counts for every speaker of the till',
    ...EASY,
    breaks: ['receipts'],
    plants: receiptForAll,
  },

  ...POWER_BUGS,

  {
    name: 'a hub that forgets the old key when it gives a new one',
    ...EASY,
    kind: { rotations: true, restores: false },
    breaks: ['locked out', 'rest'],
    plants: () =>
      inPort('devices', (devices) => ({
        async credentials(serial) {
          const known = await devices.credentials(serial)
          return known?.next ? { ...known, ...known.next } : known
        },
      })),
  },
  {
    name: 'a hub that welcomes a device under its next key and does not put it in force',
    ...HARD,
    kind: { rotations: true, restores: false },
    breaks: ['locked out', 'rest'],
    plants: () =>
      inPort('outbox', (outbox) => ({
        begin: (deviceId, at, birth) => outbox.begin(deviceId, at, birth && { born: birth.born }),
      })),
  },
  {
    name: 'a device that gives up its old key when it gets a new one',
    ...HARD,
    kind: { rotations: true, restores: false },
    breaks: ['locked out', 'rest'],
    plants: () => ({
      step(state, event) {
        const next = step(state, event)
        const { keys } = next.state.memory
        if (!keys?.next) return next
        const memory = { ...next.state.memory, keys: { given: keys.given, current: keys.next } }
        return {
          state: { ...next.state, memory },
          effects: [...next.effects, { type: 'persist' as const, memory }],
        }
      },
    }),
  },

  ...GATE_BUGS,
  ...EVENT_BUGS,
  ...WEBHOOK_BUGS,

  ...HUB_BUGS,
]

/** Answers what the rules decide, a few turns before the commit. */
function answeredTooSoon(): Plants {
  const asked = new Map<string, (result: PaymentResult) => void>()
  return {
    rules: (rules) => ({
      ...rules,
      settle(payment, found) {
        const decision = rules.settle(payment, found)
        asked.get(payment.id)?.({ kind: 'recorded', answer: decision.answer, announcements: [] })
        // The disk is full, say.
        throw new Error('the commit fails after the answer')
      },
    }),
    ...inPort('payments', (payments) => ({
      record(payment) {
        const { promise, resolve, reject } = Promise.withResolvers<PaymentResult>()
        asked.set(payment.id, resolve)
        payments.record(payment).then(resolve, reject)
        return promise
      },
    })),
  }
}

function receiptForAll(): Plants {
  const siblings = new Map<string, Announcement[]>()
  return {
    storage: (storage) => ({
      ...storage,
      payments: {
        ...storage.payments,
        async record(payment) {
          const result = await storage.payments.record(payment)
          if (result.kind === 'recorded')
            for (const one of result.announcements) siblings.set(one.id, result.announcements)
          return result
        },
      },
      outbox: {
        ...storage.outbox,
        async recordAck(ack, at) {
          for (const { id, n, deviceId } of siblings.get(ack.announcementId) ?? [])
            await storage.outbox.recordAck({ ...ack, announcementId: id, commandNumber: n, deviceId }, at)
          return storage.outbox.recordAck(ack, at)
        },
      },
    }),
  }
}

function inDevice(keep: (effect: Effect) => boolean): Plants {
  return {
    step(state, event) {
      const next = step(state, event)
      return { ...next, effects: next.effects.filter(keep) }
    },
  }
}

function freshAgain(one: Announcement): Announcement {
  return { ...one, expiresAt: one.expiresAt + 10 * MINUTES_MS }
}

const evenNumber = (n: number) => Math.max(1, n - (n % 2))
