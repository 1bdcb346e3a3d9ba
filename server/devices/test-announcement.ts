import type { Clock } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import { assertDone } from './answer.ts'
import type { DeviceControl, DeviceRecords } from './ports.ts'

const SETTINGS = '/api/v1/partner/device/{serial}/settings'

/**
 * Makes a partner's speaker beep and flash, and waits until it confirms that it did.
 * Why it speaks no sentence: only real money may sound like money.
 */
export function testAnnouncement(deps: {
  devices: Pick<DeviceRecords, 'findFor'>
  control: Pick<DeviceControl, 'identify'>
  clock: Clock
}) {
  return async function testAnnouncement(
    clientId: string,
    serial: string,
  ): Promise<{ serial: string; playedAt: number }> {
    const device = await deps.devices.findFor(clientId, serial)
    if (device?.clientId !== clientId) throw new HubError('DEVICE_NOT_FOUND')
    assertDone(await deps.control.identify(device.id), (reason) => {
      const remedy = reason === 'muted' ? `: raise its volume (PUT ${SETTINGS}) and test again` : ''
      return fieldError('DEVICE_AUDIO_FAILED', 'deviceSerial', `answered ${reason}${remedy}`)
    })
    return { serial, playedAt: deps.clock.now() }
  }
}
