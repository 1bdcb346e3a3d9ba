import type { Delivery } from '../delivery/delivery.ts'
import type { Gate } from '../mqtt/gate.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Storage } from '../storage/ports.ts'

/** A request to identify a device that is older than this is dropped: nobody looks at the device any more. */
const IDENTIFY_FRESH_MS = 10_000
const RETRY_MS = 500
/** Devices whose keys and firmware are read at once, which takes a few milliseconds. Payments are handled in the pause. */
const AT_ONCE = 100
const PAUSE_MS = 1

/**
 * Carries out the requests that the command line writes to the storage: disconnects revoked devices, sends settings
 * that are due, gives new keys and firmware, lets devices beep. The returned function ends it.
 */
export function serveCliRequests(deps: {
  storage: Storage
  delivery: Delivery
  gate: Pick<Gate, 'disconnect'>
  clock: Clock
  log: Logger
}): () => void {
  const { storage, delivery, gate, clock, log } = deps
  let isDue = false
  let isRunning = false
  let cancelRetry: () => void = () => undefined

  async function carryOut() {
    for (const serial of await storage.devices.revokedAmong(delivery.connectedSerials())) {
      log.info({ serial }, 'device revoked, connection closed')
      gate.disconnect(serial)
    }
    for (const { deviceId, desired } of await storage.settings.due(delivery.connectedSerials()))
      delivery.configure(deviceId, desired)
    for (const deviceId of await storage.devices.takeIdentifyRequests(clock.now() - IDENTIFY_FRESH_MS))
      identify(deviceId).catch(logFailure)
    await maintain(delivery.connectedDevices())
  }

  async function maintain(deviceIds: readonly string[]) {
    for (let from = 0; from < deviceIds.length; from += AT_ONCE) {
      if (from > 0) await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))
      for (const due of await storage.maintenance.due(deviceIds.slice(from, from + AT_ONCE)))
        delivery.maintain(due)
    }
  }

  async function identify(deviceId: string) {
    const { kind } = await delivery.identify(deviceId)
    if (kind === 'done') await storage.devices.recordIdentified(deviceId, clock.now())
  }

  /** One run at a time. A change during a run leads to another run, and a failed run is repeated later. */
  async function run() {
    isDue = true
    if (isRunning) return
    isRunning = true
    try {
      while (isDue) {
        isDue = false
        await carryOut()
      }
    } catch (error) {
      logFailure(error)
      cancelRetry = clock.after(RETRY_MS, () => void run())
    } finally {
      isRunning = false
    }
  }

  function logFailure(error: unknown) {
    log.error({ err: error }, 'a request of the command line failed')
  }

  const unsubscribe = storage.changes((change) => {
    if (change === 'requests') void run()
  })
  return () => {
    unsubscribe()
    cancelRetry()
  }
}
