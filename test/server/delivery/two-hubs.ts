import { expect } from 'vitest'
import { ALONE, type Cluster } from '../../../server/cluster/cluster.ts'
import type { CarryOut } from '../../../server/cluster/messages.ts'
import type { WakeKind, Wakeups } from '../../../server/cluster/wakeups.ts'
import type { Delivery } from '../../../server/delivery/delivery.ts'
import { createKeyedLock } from '../../../server/platform/keyed-lock.ts'
import { type Line, openStage, quietLine } from './stage.ts'

type Listener = Parameters<Wakeups['onWake']>[0]

/** Carries wake-ups and messages between hubs, unless it is cut. */
export function createWire() {
  const listeners = new Set<{ hub: object; listener: Listener }>()
  const serving = new Map<object, CarryOut>()
  const deliveries = new Map<object, Delivery>()
  const locks = createKeyedLock()
  const wire = { isCut: false, told: [] as [kind: WakeKind, ...deviceIds: string[]][] }
  function tell(kind: WakeKind, deviceIds: readonly string[] | undefined, from?: object) {
    for (const { hub, listener } of listeners)
      if (hub !== from) queueMicrotask(() => listener(kind, deviceIds))
  }
  return Object.assign(wire, {
    /** As if another hub had said it. */
    forge: (kind: WakeKind, deviceIds?: readonly string[]) => tell(kind, deviceIds),

    /** `joins` tells the others of the hub's delivery. */
    hub(): { cluster: Cluster; joins: (delivery: Delivery) => void } {
      const hub = {}
      const others = <T>(ofHubs: Map<object, T>) =>
        [...ofHubs].flatMap(([other, part]) => (other === hub ? [] : [part]))
      const wakeups: Wakeups = {
        isAlone: false,
        wake(kind, deviceIds) {
          wire.told.push([kind, ...deviceIds])
          if (!wire.isCut) tell(kind, deviceIds, hub)
        },
        onWake(listener) {
          const entry = { hub, listener }
          listeners.add(entry)
          return () => listeners.delete(entry)
        },
      }
      return {
        joins: (delivery) => deliveries.set(hub, delivery),
        cluster: {
          ...ALONE,
          wakeups,
          locks,
          presence: {
            isConnected: async (serial) =>
              others(deliveries).some((delivery) => delivery.isConnected(serial)),
          },
          messages: {
            async ask(deviceId, message, withinMs) {
              if (wire.isCut) return { kind: 'not_responding' }
              const answers = others(serving).map((carryOut) => carryOut(deviceId, message, withinMs))
              const answer = (await Promise.all(answers)).find(({ kind }) => kind !== 'offline')
              return answer ?? { kind: 'offline' }
            },
            serve(carryOut) {
              serving.set(hub, carryOut)
              return () => serving.delete(hub)
            },
          },
        },
      }
    },
  })
}

/** Two hubs on one file. */
export async function twoHubs() {
  const wire = createWire()
  const [first, second] = [wire.hub(), wire.hub()]
  const here = await openStage({ cluster: first.cluster })
  const there = await openStage({ beside: here, cluster: second.cluster })
  first.joins(here.delivery)
  second.joins(there.delivery)
  return { wire, here, there, clock: here.clock, deviceId: here.speaker.deviceId }
}

/** The same, with a speaker at `there`. */
export async function speakerThere() {
  const hubs = await twoHubs()
  return { ...hubs, line: await quietLine(hubs.there) }
}

/** Two hubs, after the speaker has gone from `here`, which does not know it. */
export async function goneUnnoticed() {
  const hubs = await twoHubs()
  const left = await quietLine(hubs.here)
  await hubs.here.pay('1')
  await left.obey()
  hubs.wire.isCut = true
  const line = await quietLine(hubs.there)
  hubs.wire.isCut = false
  expect(left.state.closed).toBe(false)
  return { ...hubs, left, line, before: left.heard().length }
}

export const amountsOf = (line: Line) =>
  line.ofType('announce').map(({ command }) => Object(command.d).amount)
