import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { DeviceControl, DeviceRecords } from './ports.ts'

/**
 * Has a partner's speaker beep and flash, and answers once it has done so: a person hears that it works, and the
 * hub has the proof. Why no sentence: whatever sounds like money must be money.
 */
export function testAnnouncement(deps: {
  devices: Pick<DeviceRecords, 'findFor'>
  control: Pick<DeviceControl, 'identify'>
  clock: Clock
}) {
  return async (clientId: string, serial: string): Promise<{ serial: string; playedAt: number }> => {
    const device = await deps.devices.findFor(clientId, serial)
    if (device?.clientId !== clientId) throw new HubError('DEVICE_NOT_FOUND')
    const identified = await deps.control.identify(device.id)
    switch (identified.kind) {
      case 'played':
        return { serial, playedAt: deps.clock.now() }
      case 'offline':
        throw new HubError('DEVICE_OFFLINE')
      case 'not_responding':
        throw new HubError('DEVICE_NOT_RESPONDING')
      case 'failed':
        throw new HubError('DEVICE_AUDIO_FAILED', {
          details: [{ field: 'deviceSerial', issue: whyUnheard(identified.reason) }],
        })
    }
  }
}

function whyUnheard(reason: string): string {
  if (reason !== 'muted') return `answered ${reason}`
  return 'answered muted: raise its volume (PUT /api/v1/partner/device/{serial}/settings) and test it again'
}
