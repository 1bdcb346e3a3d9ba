import type { Clock } from '../platform/clock.ts'
import type { DeviceControl, DeviceRecords, Screens } from './ports.ts'

export interface StatusUpdate {
  serial: string
  active: boolean
}

/** The failed items and their reasons. */
export interface StatusReport {
  successCount: number
  totalCount: number
  errors: { serial: string; message: string }[]
}

/** Locks or unlocks many devices, each in its own transaction. */
export function updateStatus(deps: {
  devices: DeviceRecords
  control: Pick<DeviceControl, 'silence'>
  screens: Screens
  clock: Clock
}) {
  async function change(clientId: string, { serial, active }: StatusUpdate): Promise<string | undefined> {
    const changed = await deps.devices.setActive(clientId, serial, active, deps.clock.now())
    if (!changed) return 'This device does not exist.'
    if (!active) deps.control.silence(changed.deviceId)
    deps.screens.refresh(changed.deviceId)
    return undefined
  }

  return async function updateStatus(
    clientId: string,
    updates: readonly StatusUpdate[],
  ): Promise<StatusReport> {
    const seen = new Set<string>()
    const outcomes = updates.map(async (update) => {
      const isRepeated = seen.has(update.serial)
      seen.add(update.serial)
      const message = isRepeated
        ? 'This device is listed twice: only the first item counts.'
        : await change(clientId, update)
      return message === undefined ? [] : [{ serial: update.serial, message }]
    })
    const errors = (await Promise.all(outcomes)).flat()
    return { successCount: updates.length - errors.length, totalCount: updates.length, errors }
  }
}
