import { expect } from 'vitest'
import type { WakeKind, Wakeups } from '../../../server/cluster/wakeups.ts'
import { settle } from '../../support/clock.ts'
import { type Line, openStage, quietLine, type Stage } from './stage.ts'

type Listener = Parameters<Wakeups['onWake']>[0]

/** Carries wake-ups between hubs, unless it is cut. */
function createWire() {
  const listeners = new Set<{ hub: object; listener: Listener }>()
  const wire = { isCut: false, told: [] as [kind: WakeKind, ...deviceIds: string[]][] }
  function tell(kind: WakeKind, deviceIds: readonly string[] | undefined, from?: object) {
    for (const { hub, listener } of listeners)
      if (hub !== from) queueMicrotask(() => listener(kind, deviceIds))
  }
  return Object.assign(wire, {
    /** As if another hub had said it. */
    forge: (kind: WakeKind, deviceIds?: readonly string[]) => tell(kind, deviceIds),
    hub(): Wakeups {
      const hub = {}
      return {
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
    },
  })
}

/** Two hubs on one file. */
export async function twoHubs() {
  const wire = createWire()
  const here = await openStage({ wakeups: wire.hub() })
  const there = await openStage({ beside: here, wakeups: wire.hub() })
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

export async function setVolume({ storage, delivery, speaker, clientId, clock }: Stage, volume: number) {
  await storage.settings.report(speaker.deviceId, { ver: 1, volume: 80, lang: 'vi' })
  const changed = await storage.settings.change({ clientId }, speaker.serial, { volume }, clock.now())
  if (changed?.settings.desired) delivery.configure(speaker.deviceId, changed.settings.desired)
  await settle()
}

export const amountsOf = (line: Line) =>
  line.ofType('announce').map(({ command }) => Object(command.d).amount)
export const numbersOf = (line: Line) => line.ofType('announce').map(({ command }) => command.n)
export const rising = (numbers: number[]) => [...new Set(numbers)].sort((a, b) => a - b)
