import type { Clock } from '../platform/clock.ts'
import type { Actor } from '../security/actor.ts'
import type { DeviceControl, DeviceRecords, Screens } from './ports.ts'

export interface StatusUpdate {
  serial: string
  active: boolean
}

/** An item that failed. */
interface StatusFailure {
  serial: string
  message: string
}

/** Locks or unlocks many devices, each in its own transaction. Answers the items that failed, in their order. */
export function updateStatus(deps: {
  devices: DeviceRecords
  control: Pick<DeviceControl, 'silence'>
  screens: Screens
  clock: Clock
}) {
  async function change(by: Actor, { serial, active }: StatusUpdate): Promise<string | undefined> {
    const changed = await deps.devices.setActive(by, serial, active, deps.clock.now())
    if (!changed) return 'This device does not exist.'
    if (!active) deps.control.silence(changed.deviceId)
    deps.screens.refresh(changed.deviceId)
    return undefined
  }

  return async function updateStatus(by: Actor, updates: readonly StatusUpdate[]): Promise<StatusFailure[]> {
    const seen = new Set<string>()
    const outcomes = updates.map(async (update) => {
      const isRepeated = seen.has(update.serial)
      seen.add(update.serial)
      const message = isRepeated
        ? 'This device is listed twice: only the first item counts.'
        : await change(by, update)
      return message === undefined ? [] : [{ serial: update.serial, message }]
    })
    return (await Promise.all(outcomes)).flat()
  }
}
