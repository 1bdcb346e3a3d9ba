import type { Delivery } from '../delivery/delivery.ts'
import type { Gate } from '../mqtt/gate.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Storage } from '../storage/ports.ts'

/** How often the hub checks for requests of the command line. */
const WATCH_EVERY_MS = 500
/** The command line waits no longer than this for a device to beep. */
const IDENTIFY_FRESH_MS = 10_000

/**
 * Carries out the requests that the command line has written to the database: closes the connections of revoked
 * devices, sends settings that are due, and makes devices beep. A check without a request costs almost nothing. The
 * returned function stops it.
 */
export function serveCliRequests(deps: {
  storage: Storage
  delivery: Delivery
  gate: Pick<Gate, 'disconnect'>
  clock: Clock
  log: Logger
}): () => void {
  const { storage, delivery, gate, clock, log } = deps
  let handled = storage.wishes()
  let cancel: () => void = () => undefined
  let isStopped = false

  async function handleRequests() {
    const version = storage.wishes()
    if (version === handled) return
    for (const serial of await storage.devices.revokedAmong(delivery.connectedSerials())) {
      log.info({ serial }, 'device revoked, connection closed')
      gate.disconnect(serial)
    }
    for (const { deviceId, desired } of await storage.settings.due(delivery.connectedSerials()))
      delivery.configure(deviceId, desired)
    for (const deviceId of await storage.devices.takeIdentifyWishes(clock.now() - IDENTIFY_FRESH_MS))
      inBackground(identify(deviceId))
    handled = version
  }

  async function identify(deviceId: string) {
    const { kind } = await delivery.identify(deviceId)
    if (kind === 'played') await storage.devices.recordIdentified(deviceId, clock.now())
  }

  function inBackground(work: Promise<void>) {
    work.catch((error: unknown) => log.error({ err: error }, 'a request of the command line failed'))
  }

  /** The next check waits for the one before, so that no request is carried out twice. */
  function scheduleNext() {
    if (isStopped) return
    cancel = clock.after(WATCH_EVERY_MS, () => inBackground(handleRequests().finally(scheduleNext)))
  }
  scheduleNext()
  return () => {
    isStopped = true
    cancel()
  }
}
