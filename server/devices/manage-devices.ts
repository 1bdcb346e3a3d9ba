import type { Clock } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import type { Cursors } from '../platform/lists/cursors.ts'
import type { Slices } from '../platform/lists/slices.ts'
import { walkList } from '../platform/lists/walk.ts'
import type { Page } from '../platform/page.ts'
import type { Actor } from '../security/actor.ts'
import { type AbilitiesOf, canIdentify, cannot } from './abilities.ts'
import { assertDone } from './answer.ts'
import type { Device, DeviceDetail, DeviceReport } from './device.ts'
import type { DeviceControl, DeviceFilter, DeviceLists, DeviceRecords, Presence, Screens } from './ports.ts'
import { deviceUnknown } from './send-verification.ts'

const SETTINGS = '/api/v1/partner/device/{serial}/settings'

interface StatusUpdate {
  serial: string
  active: boolean
}

interface ManageDeps {
  devices: DeviceRecords
  lists: DeviceLists
  /** The start of this hub. */
  hubSince: number
  control: DeviceControl
  screens: Screens
  presence: Presence
  slices: Slices
  cursors: Cursors
  abilitiesOf: AbilitiesOf
  clock: Clock
}

/** What partners do with their devices, apart from their registration. */
export function manageDevices(deps: ManageDeps) {
  const { devices, lists, hubSince, control, screens, presence, slices, cursors, abilitiesOf, clock } = deps

  async function withAbilities<T extends DeviceReport>(device: T): Promise<T & DeviceDetail> {
    return { ...device, abilities: await abilitiesOf(device) }
  }

  return {
    /** The devices that were made last come first. */
    async listDevices(
      clientId: string,
      filter: Pick<DeviceFilter, 'serialPrefix' | 'storeId' | 'connected' | 'active'>,
      page: { limit: number; cursor?: string | undefined },
    ): Promise<Page<DeviceDetail>> {
      const own = { ...filter, clientId, revoked: false }
      const { rows, next } = await walkList(
        { slices, cursors },
        { list: 'devices', clientId, ...page },
        (asked) => lists.page(own, hubSince, asked),
      )
      return { rows: await Promise.all(rows.map(withAbilities)), next }
    },

    /** Finds a device that is the partner's own or registered to nobody, with what it has reported. */
    async findDevice(clientId: string, serial: string): Promise<DeviceDetail> {
      const found = await lists.find(serial, hubSince)
      if (!found || found.revokedAt !== undefined || (found.clientId ?? clientId) !== clientId)
        throw new HubError('DEVICE_NOT_FOUND')
      return { ...(await withAbilities(found)), connected: await presence.isConnected(serial) }
    },

    /** Locks or unlocks many devices, each in its own transaction. Answers the items that failed, in their order. */
    async updateStatus(by: Actor, updates: readonly StatusUpdate[]) {
      const seen = new Set<string>()
      const failures = updates.map(async ({ serial, active }) => {
        if (seen.has(serial))
          return [{ serial, message: 'This device is listed twice: only the first item counts.' }]
        seen.add(serial)
        const changed = await devices.setActive(by, serial, active, clock.now())
        if (!changed) return [{ serial, message: 'This device does not exist.' }]
        if (!active) control.silence(changed.deviceId)
        screens.refresh(changed.deviceId)
        return []
      })
      return (await Promise.all(failures)).flat()
    },

    /** Releases a device of a partner. Its screen shows "not registered" again; its stores and their history stay. */
    async unregister(by: Actor, serial: string): Promise<Device> {
      const device = await devices.unregister(by, serial, clock.now())
      if (!device) throw deviceUnknown()
      control.silence(device.id)
      screens.refresh(device.id)
      return device
    },

    /**
     * Makes a partner's speaker beep and flash, and waits until it confirms that it did.
     * Why it speaks no sentence: only real money may sound like money.
     */
    async testAnnouncement(clientId: string, serial: string): Promise<{ serial: string; playedAt: number }> {
      const device = await devices.findFor(clientId, serial)
      if (device?.clientId !== clientId) throw new HubError('DEVICE_NOT_FOUND')
      if (!canIdentify(device))
        throw cannot('deviceSerial', 'has no test sound: report a small payment to hear it')
      assertDone(await control.identify(device.id), (reason) => {
        const remedy = reason === 'muted' ? `: raise its volume (PUT ${SETTINGS}) and test again` : ''
        return fieldError('DEVICE_AUDIO_FAILED', 'deviceSerial', `answered ${reason}${remedy}`)
      })
      return { serial, playedAt: clock.now() }
    },
  }
}
