import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { DeviceControl, DeviceRecords } from './ports.ts'

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
          details: [{ field: 'deviceSerial', issue: failureIssue(identified.reason) }],
        })
    }
  }
}

function failureIssue(reason: string): string {
  if (reason !== 'muted') return `answered ${reason}`
  return 'answered muted: raise its volume (PUT /api/v1/partner/device/{serial}/settings) and test again'
}
