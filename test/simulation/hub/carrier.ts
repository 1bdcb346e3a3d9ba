import type { WakeKind, Wakeups } from '../../../server/cluster/wakeups.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import type { Dice } from '../kit/dice.ts'
import type { Trace } from '../kit/trace.ts'
import type { Freezer } from './freezer.ts'

type Listener = Parameters<Wakeups['onWake']>[0]

const PROMPT_MS = 5
const LATE_MS = 10_000

/** Carries wake-ups between hubs, as badly as a network may: it loses, doubles and delays them. */
export interface Carrier {
  /** The end of one hub. */
  end(hubId: string, process: Pick<Freezer, 'whenAwake'>): Wakeups
  /** A hub gets a wake-up that nobody has sent. */
  forge(hubId: string, kind: WakeKind, deviceIds: readonly string[]): void
  /** Nothing is lost or late from here on. */
  heal(): void
}

export interface CarrierDeps {
  clock: Clock
  dice: Dice
  trace: Trace
  /** How often a wake-up gets lost: 0 never, 1 always. */
  lost: number
}

export function createCarrier({ clock, dice, trace, lost }: CarrierDeps): Carrier {
  const ends = new Map<string, { listeners: Set<Listener>; whenAwake: Freezer['whenAwake'] }>()
  let isCalm = false

  function carry(hubId: string, kind: WakeKind, deviceIds: readonly string[] | undefined, delayMs: number) {
    const end = ends.get(hubId)
    clock.after(delayMs, () =>
      end?.whenAwake(() => {
        for (const listener of end.listeners) listener(kind, deviceIds)
      }),
    )
  }

  function wake(from: string, kind: WakeKind, deviceIds: readonly string[]) {
    trace.count(`wake-ups: ${kind}`)
    for (const hubId of ends.keys()) {
      if (hubId === from) continue
      const fate = isCalm ? 1 : dice.fraction()
      if (fate < lost) {
        trace.count('wake-ups lost')
        continue
      }
      const isLate = fate < lost + 0.1
      carry(hubId, kind, deviceIds, isLate ? dice.between(50, LATE_MS) : dice.between(1, PROMPT_MS))
      if (!isLate && fate < lost + 0.2) carry(hubId, kind, deviceIds, dice.between(1, LATE_MS))
    }
  }

  return {
    end(hubId, { whenAwake }) {
      const listeners = new Set<Listener>()
      ends.set(hubId, { listeners, whenAwake })
      return {
        isAlone: false,
        wake: (kind, deviceIds) => wake(hubId, kind, deviceIds),
        onWake(listener) {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
      }
    },
    forge: (hubId, kind, deviceIds) => carry(hubId, kind, deviceIds, 0),
    heal() {
      isCalm = true
    },
  }
}
