import type { Outbox, Owner } from '../../server/announcements/ports.ts'
import type { Session } from '../../server/delivery/session/session.ts'
import { type Bug, HARD } from './bug.ts'
import type { Plants } from './world.ts'
import { inDelivery, inDeliveryDeps, inPort } from './wrap.ts'

/** What goes wrong between several hubs on one storage. */
export const HUB_BUGS: readonly Bug[] = [
  {
    name: 'an announcement that is stored as sent although its hub does not know the one before it',
    ...HARD,
    kind: { hubs: 2 },
    breaks: ['rising', 'at least once', 'receipts'],
    plants: numbersNotCompared,
  },
  {
    name: 'a hub that stores as sent what is for the device of another',
    ...HARD,
    kind: { hubs: 2, wakeupsLost: 1 },
    breaks: ['owner'],
    plants: () =>
      ofNewest((outbox, newest) => ({
        markSent: (id, owner, at) => outbox.markSent(id, newest(owner), at),
        nextNumber: (owner) => outbox.nextNumber(newest(owner)),
        take: (owner, at, what) => outbox.take(newest(owner), at, what),
      })),
  },
  {
    name: 'a hub that judges what is on the device of another',
    ...HARD,
    // It takes a receipt that comes at the wrong hub: one world in fifty of this length has one.
    steps: 100,
    kind: { hubs: 2, wakeupsLost: 1 },
    breaks: ['own judgement'],
    plants: () =>
      inPort('outbox', (outbox) => ({
        recordAck: ({ judgedBy: _judgedBy, ...step }, at) => outbox.recordAck(step, at),
      })),
  },
  {
    name: 'a birth that does not take the device over',
    ...HARD,
    kind: { hubs: 2 },
    breaks: ['no breach', 'owner', 'at least once', 'presence'],
    plants: birthsGivenBack,
  },
  {
    name: 'a hub that hears nothing of news, and does not look for any',
    ...HARD,
    kind: { hubs: 2 },
    breaks: ['at least once'],
    plants: () =>
      inDeliveryDeps(({ cluster, outbox, ...deps }) => ({
        ...deps,
        outbox: { ...outbox, waiting: async () => [] },
        ...(cluster && {
          cluster: {
            ...cluster,
            wakeups: {
              ...cluster.wakeups,
              onWake: (listener) =>
                cluster.wakeups.onWake((kind, deviceIds) => {
                  if (kind !== 'news' && kind !== 'everything') listener(kind, deviceIds)
                }),
            },
          },
        }),
      })),
  },
  {
    name: 'a hub that relies on wake-ups, which are lost',
    ...HARD,
    kind: { hubs: 2, wakeupsLost: 1 },
    breaks: ['at least once'],
    plants: () => inPort('outbox', () => ({ waiting: async () => [] })),
  },
  {
    name: 'the end of a session that takes the device from its new owner',
    ...HARD,
    kind: { hubs: 2 },
    breaks: ['no breach', 'at least once'],
    plants: () => ofNewest((outbox, newest) => ({ leave: (owners) => outbox.leave(owners.map(newest)) })),
  },
]

/** `newest`: the session of the device's last birth, at whatever hub. */
function ofNewest(change: (outbox: Outbox, newest: (owner: Owner) => Owner) => Partial<Outbox>): Plants {
  const sessions = new Map<string, string>()
  const newest = ({ deviceId, sessionId }: Owner) => ({
    deviceId,
    sessionId: sessions.get(deviceId) ?? sessionId,
  })
  return inPort('outbox', (outbox) => ({
    async begin(owner, at, birth) {
      const start = await outbox.begin(owner, at, birth)
      if (start && birth) sessions.set(owner.deviceId, owner.sessionId)
      return start
    },
    ...change(outbox, newest),
  }))
}

function numbersNotCompared(): Plants {
  return {
    ...inDelivery((delivery) => {
      const sessions = new Map<string, Session>()
      return {
        open(...args) {
          const session = delivery.open(...args)
          sessions.set(session.deviceId, session)
          return session
        },
        announce(announcements, storeKey, since) {
          for (const { deviceId, n } of announcements) {
            sessions.get(deviceId)?.numbers.knowUpTo(n - 1)
          }
          delivery.announce(announcements, storeKey, since)
        },
      }
    }),
    storage: (storage) => ({
      ...storage,
      payments: {
        ...storage.payments,
        async record(payment, free = []) {
          const knowAll = free.map(async (one) => {
            const knownNumber = await storage.outbox.highestNumber(one.deviceId)
            return { ...one, knownNumber }
          })
          return storage.payments.record(payment, await Promise.all(knowAll))
        },
      },
    }),
  }
}

/** The session before gets the device back at once. */
function birthsGivenBack(): Plants {
  const owners = new Map<string, string>()
  return inPort('outbox', (outbox) => ({
    async begin(owner, at, birth) {
      const { deviceId, sessionId } = owner
      const before = owners.get(deviceId)
      const start = await outbox.begin(owner, at, birth)
      if (!start || !birth) return start
      if (before === undefined) owners.set(deviceId, sessionId)
      else if (before !== sessionId) await outbox.begin({ deviceId, sessionId: before }, at, birth)
      return start
    },
    async leave(all) {
      for (const { deviceId, sessionId } of all)
        if (owners.get(deviceId) === sessionId) owners.delete(deviceId)
      await outbox.leave(all)
    },
  }))
}
