import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Readings, Runtime } from './device.ts'
import type { UpdateProgress } from './maintenance.ts'
import type { HealthChange, HealthRecords } from './ports.ts'

/** Percent. Between the two, a battery that is charged and used by turns causes no further event. */
const [LOW_BELOW, GOOD_ABOVE] = [15, 25]

/** Whether a battery counts as low after a report. */
export function isBatteryLow(wasLow: boolean, percent: number): boolean {
  return wasLow ? percent <= GOOD_ABOVE : percent < LOW_BELOW
}

/** Reports wait this long to be written together. A crash loses them. */
const REPORTS_WAIT_MS = 30_000
/** The end of a connection waits less: the command line reads from it which devices are connected. */
const ENDS_WAIT_MS = 2_000
/** When so many devices have something new, it is written at once. */
export const MOST_WAITING = 500
/** Changes that share one commit. They take a millisecond or two, for which payments wait. */
export const HEALTH_BATCH = 100

/** What a report says only now and then. */
interface DeviceNews {
  update?: UpdateProgress | undefined
  runtime?: Runtime | undefined
}

export type HealthLog = ReturnType<typeof createHealthLog>

/** Collects what devices report of themselves, and writes the newest of it in bulk. */
export function createHealthLog(deps: { health: Pick<HealthRecords, 'record'>; clock: Clock; log: Logger }) {
  const { health, clock, log } = deps
  /** The newest of each device. Devices are minted, so there are not more than that. */
  const waiting = new Map<string, HealthChange>()
  let dueAt = Number.POSITIVE_INFINITY
  let cancel: () => void = () => undefined
  let writing: Promise<void> | undefined
  let isStopped = false

  function note(change: HealthChange, waitMs: number) {
    waiting.set(change.deviceId, { ...waiting.get(change.deviceId), ...change })
    schedule(waiting.size >= MOST_WAITING ? 0 : waitMs)
  }

  function schedule(waitMs: number) {
    const at = clock.elapsed() + waitMs
    if (isStopped || writing || at >= dueAt) return
    cancel()
    dueAt = at
    cancel = clock.after(waitMs, () => {
      dueAt = Number.POSITIVE_INFINITY
      writing = writeAll().then((isDone) => {
        writing = undefined
        if (waiting.size > 0) schedule(isDone ? ENDS_WAIT_MS : REPORTS_WAIT_MS)
      })
    })
  }

  /** Writes what is waiting now, a batch in each commit. False when that failed: then it is tried again later. */
  async function writeAll(): Promise<boolean> {
    for (let left = waiting.size; left > 0; left -= HEALTH_BATCH) {
      const batch = [...waiting.values()].slice(0, HEALTH_BATCH)
      for (const { deviceId } of batch) waiting.delete(deviceId)
      try {
        await health.record(batch)
      } catch (error) {
        log.warn({ err: error }, 'reports of devices can not be stored, and are tried again')
        for (const old of batch) waiting.set(old.deviceId, { ...old, ...waiting.get(old.deviceId) })
        return false
      }
    }
    return true
  }

  return {
    reported(deviceId: string, readings: Readings, { update, runtime }: DeviceNews = {}) {
      const { battery, charging, signal, volume, queue } = readings
      const at = clock.now()
      const change: HealthChange = {
        ...{ deviceId, report: { battery, charging, signal, volume, queue, at } },
        // A later report without one of these does not take it back.
        ...(update && { update: { ...update, at } }),
        ...(runtime && { runtime: { ...runtime, at } }),
      }
      note(change, REPORTS_WAIT_MS)
    },
    /** The device's connection has ended. With `sessionId`: unless another session owns the device. */
    left: (deviceId: string, sessionId?: string) =>
      note({ deviceId, leftAt: clock.now(), sessionId }, ENDS_WAIT_MS),
    /** Writes what is waiting. */
    async stop() {
      isStopped = true
      cancel()
      await writing
      await writeAll()
    },
  }
}
