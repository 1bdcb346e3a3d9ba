import type { Departure, HealthRecords } from '../devices/ports.ts'
import type { Clock } from '../platform/clock.ts'
import { exceptUnavailable } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'

/** A device that is back within this time was never away, for its partner. */
export const OFFLINE_AFTER_MS = 60_000
/** Between two looks for the devices of hubs that run no more. */
const LOOK_EVERY_MS = 10_000
/** Between two looks at what is due. */
const DUE_EVERY_MS = 1_000
/** Departures that share one commit. */
const AT_ONCE = 100

/** Tells partners when their devices have been away for a minute. */
export interface Departures {
  /** The birth of this session is stored. */
  born(deviceId: string, sessionId: string): void
  /** The device's connection has ended. One that was not born in this hub is none of its own. */
  left(deviceId: string): void
  /** Another hub has the device. */
  handedOver(deviceId: string): void
  /** Looks for devices that an earlier hub has lost, and tells what is due. The returned function stops it. */
  start(): () => void
}

interface Away extends Departure {
  /** On the clock that nobody can set. */
  dueAt: number
}

/**
 * Holds the devices that have left this hub, and those that no hub has although their partners take them for connected:
 * their hub was killed or stopped. `looksForLost` says whether this hub looks for them; a hub by itself looks at its start
 * alone, because it loses no device while it runs. Devices are minted, so there are not more entries than that.
 *
 * Nothing here is durable: what the partner was told is. The storage decides by it, and by the session of the departure,
 * so that a device that is back, here or at another hub, is never told as offline.
 */
export function createDepartures(deps: {
  health: Pick<HealthRecords, 'toldOnline' | 'tellOffline'>
  isAlone: boolean
  looksForLost: () => Promise<boolean>
  clock: Clock
  log: Logger
}): Departures {
  const { health, isAlone, looksForLost, clock, log } = deps
  /** The sessions of the devices that are here. */
  const here = new Map<string, string>()
  /** The earliest first. */
  const away = new Map<string, Away>()
  let isStopped = false
  let cancel: () => void = () => undefined
  let lookAt = 0

  function noteAway(departure: Departure) {
    away.delete(departure.deviceId)
    away.set(departure.deviceId, { ...departure, dueAt: clock.elapsed() + OFFLINE_AFTER_MS })
  }

  async function look() {
    const isMine = await looksForLost()
    for (let after: number | undefined = isMine ? 0 : undefined; after !== undefined && !isStopped; ) {
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
      if (due.length === 0 || isStopped) return
      await health.tellOffline(
        due.map(({ dueAt: _, ...departure }) => departure),
        clock.now(),
      )
      for (const one of due) if (away.get(one.deviceId) === one) away.delete(one.deviceId)
    }
  }

  async function step() {
    if (clock.elapsed() >= lookAt) await look()
    await tell()
  }

  function later() {
    if (isStopped) return
    cancel = clock.after(DUE_EVERY_MS, () => {
      // While the storage is away, partners are told later. The sweep says that it is away.
      step()
        .catch(exceptUnavailable)
        .catch((error: unknown) => log.error({ err: error }, 'telling which devices are offline failed'))
        .finally(later)
    })
  }

  return {
    born(deviceId, sessionId) {
      here.set(deviceId, sessionId)
      away.delete(deviceId)
    },
    left(deviceId) {
      const sessionId = here.get(deviceId)
      if (!here.delete(deviceId)) return
      noteAway({ deviceId, sessionId, leftAt: clock.now() })
    },
    handedOver(deviceId) {
      here.delete(deviceId)
    },
    start() {
      isStopped = false
      lookAt = clock.elapsed()
      later()
      return () => {
        isStopped = true
        cancel()
      }
    },
  }
}

/** Tells nobody. */
export const NO_DEPARTURES: Departures = {
  born: () => undefined,
  left: () => undefined,
  handedOver: () => undefined,
  start: () => () => undefined,
}
