import type { Clock } from '../../platform/clock.ts'

/** The timers of MQTT.js for its keepalive, on the speaker's clock: they repeat until they are cleared. */
export function keepaliveTimer(clock: Clock) {
  const cancels = new Map<number, () => void>()
  let count = 0
  const repeat = (id: number, act: () => void, everyMs: number) => {
    const wake = () => {
      repeat(id, act, everyMs)
      act()
    }
    cancels.set(id, clock.wakeAt(clock.now() + everyMs, wake))
  }
  return {
    // biome-ignore lint/complexity/noBannedTypes: the type of MQTT.js.
    set: (act: Function, everyMs = 0): number => {
      count += 1
      repeat(count, () => act(), everyMs)
      return count
    },
    clear: (id: number): void => {
      cancels.get(id)?.()
      cancels.delete(id)
    },
  }
}
