import type { Departure, HealthRecords } from '../devices/ports.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import { createLooks } from '../platform/time/looks.ts'

/** A device that is back within this time was never away, for its partner. */
const OFFLINE_AFTER_MS = 60_000
/** Between two looks for the devices of hubs that run no more. */
const LOOK_EVERY_MS = 10_000
/** Between two looks at what is due. */
const DUE_EVERY_MS = 1_000
/** Departures that share one commit. */
const AT_ONCE = 100

export type Departures = ReturnType<typeof createDepartures>

interface DeparturesDeps {
  health: Pick<HealthRecords, 'toldOnline' | 'tellOffline'>
  isAlone: boolean
  looksForLost: () => Promise<boolean>
  clock: Clock
  log: Logger
}

/**
 * Adds `device.offline` when a device has been away for a minute. Keeps the devices that have left this hub, and the lost
 * ones: online by their last event, but connected to no hub, because their hub was killed or stopped. `looksForLost` says
 * whether this hub looks for lost devices. A hub by itself does so only at its start, because it loses none while it runs.
 * Devices are minted, so their number bounds the entries.
 *
 * Nothing here is durable. The storage decides by its last event of presence and by the session of the departure, so
 * that a device that is back, here or at another hub, never gets a `device.offline`.
 */
export function createDepartures(deps: DeparturesDeps) {
  const { health, isAlone, looksForLost, clock } = deps
  /** The sessions of the devices that are here. */
  const here = new Map<string, string>()
  /** The earliest first. `dueAt` is on the clock that nobody can set. */
  const away = new Map<string, { departure: Departure; dueAt: number }>()
  let lookAt = 0
  const looks = createLooks(deps, {
    async look() {
      if (clock.elapsed() >= lookAt) await findLost()
      await tell()
      return DUE_EVERY_MS
    },
    failure: 'telling which devices are offline failed',
    retryMs: DUE_EVERY_MS,
  })

  function noteAway(departure: Departure) {
    away.delete(departure.deviceId)
    away.set(departure.deviceId, { departure, dueAt: clock.elapsed() + OFFLINE_AFTER_MS })
  }

  async function findLost() {
    const isMine = await looksForLost()
    for (let after: number | undefined = isMine ? 0 : undefined; after !== undefined && looks.isRunning(); ) {
      const page: Awaited<ReturnType<HealthRecords['toldOnline']>> = await health.toldOnline(after)
      for (const lost of page.devices)
        if (!here.has(lost.deviceId) && !away.has(lost.deviceId)) noteAway(lost)
      after = page.next
    }
    lookAt = isAlone ? Number.POSITIVE_INFINITY : clock.elapsed() + LOOK_EVERY_MS
  }

  async function tell() {
    for (;;) {
      const now = clock.elapsed()
      const due = [...away.values()].slice(0, AT_ONCE).filter(({ dueAt }) => dueAt <= now)
      if (due.length === 0 || !looks.isRunning()) return
      const departures = due.map(({ departure }) => departure)
      await health.tellOffline(departures, clock.now())
      for (const one of due) if (away.get(one.departure.deviceId) === one) away.delete(one.departure.deviceId)
    }
  }

  return {
    /** The birth of this session is stored. */
    born(deviceId: string, sessionId: string) {
      here.set(deviceId, sessionId)
      away.delete(deviceId)
    },
    /** The device's connection has ended. One that was not born in this hub is none of its own. */
    left(deviceId: string) {
      const sessionId = here.get(deviceId)
      if (!here.delete(deviceId)) return
      noteAway({ deviceId, sessionId, leftAt: clock.now() })
    },
    /** Another hub has the device. */
    handedOver(deviceId: string) {
      here.delete(deviceId)
    },
    /** Finds devices that an earlier hub has lost, and reports departures that are due. The returned function stops it. */
    start(): () => void {
      lookAt = clock.elapsed()
      looks.start(DUE_EVERY_MS)
      return () => void looks.stop()
    },
  }
}
