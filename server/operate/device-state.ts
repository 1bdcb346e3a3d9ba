import type { DeviceReport } from '../devices/device.ts'

/** The states of a device, of which a person sees one: the most decisive. */
export const DEVICE_STATES = ['online', 'offline', 'locked', 'free', 'revoked'] as const
export type DeviceState = (typeof DEVICE_STATES)[number]

export function stateOf({
  revokedAt,
  active,
  clientId,
  connected,
}: Pick<DeviceReport, 'revokedAt' | 'active' | 'clientId' | 'connected'>): DeviceState {
  if (revokedAt !== undefined) return 'revoked'
  if (!active) return 'locked'
  if (clientId === undefined) return 'free'
  return connected ? 'online' : 'offline'
}
