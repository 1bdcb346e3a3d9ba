import type { Delivery } from '../delivery/delivery.ts'
import type { Gate } from '../mqtt/gate.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Storage } from '../storage/ports.ts'

/** How often the hub looks whether the command line has changed something. */
const WATCH_EVERY_MS = 500
/** A wish to find a device is older than this: whoever asked has gone. */
const IDENTIFY_FRESH_MS = 10_000

/**
 * Does what the command line has asked for by writing to the file: closes the links of revoked devices, sends
 * settings that are due, has devices beep. To look whether there is a wish is almost free. The returned function ends it.
 */
export function watchForeignWrites(deps: {
  storage: Storage
  delivery: Delivery
  gate: Pick<Gate, 'disconnect'>
  clock: Clock
  log: Logger
}): () => void {
  const { storage, delivery, gate, clock, log } = deps
  let seen = storage.wishes()
  let cancel: () => void = () => undefined
  let isStopped = false

  async function look() {
    const version = storage.wishes()
    if (version === seen) return
    for (const serial of await storage.devices.revokedAmong(delivery.connectedSerials())) {
      log.info({ serial }, 'device revoked, connection closed')
      gate.disconnect(serial)
    }
    for (const { deviceId, desired } of await storage.settings.due(delivery.connectedSerials()))
      delivery.configure(deviceId, desired)
    for (const deviceId of await storage.devices.takeIdentifyWishes(clock.now() - IDENTIFY_FRESH_MS))
      inBackground(identify(deviceId))
    seen = version
  }

  async function identify(deviceId: string) {
    const { kind } = await delivery.identify(deviceId)
    if (kind === 'played') await storage.devices.recordIdentified(deviceId, clock.now())
  }

  function inBackground(work: Promise<void>) {
    work.catch((error: unknown) => log.error({ err: error }, 'watching for changes failed'))
  }

  /** One look after another: what takes long must not be done twice. */
  const next = () => {
    if (isStopped) return
    cancel = clock.after(WATCH_EVERY_MS, () => inBackground(look().finally(next)))
  }
  next()
  return () => {
    isStopped = true
    cancel()
  }
}
