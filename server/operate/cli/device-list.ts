import { done, type Outcome, table, when } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function deviceList({ storage }: Workspace): Promise<Outcome> {
  const devices = await storage.devices.list()
  const state = (device: (typeof devices)[number]) => {
    if (device.revokedAt !== undefined) return 'revoked'
    return device.active ? 'active' : 'locked'
  }
  const json = devices.map((device) => ({
    serial: device.serial,
    partnerClientId: device.clientId ?? '',
    state: state(device),
    model: device.model,
    firmware: device.firmware,
    lastBirthAt: device.lastBirthAt === undefined ? null : new Date(device.lastBirthAt).toISOString(),
  }))
  const rows = devices.map((device) => [
    device.serial,
    device.clientId ?? '-',
    state(device),
    [device.model, device.firmware].filter(Boolean).join(' ') || '-',
    when(device.lastBirthAt),
  ])
  const text =
    rows.length > 0 ? table(['SERIAL', 'PARTNER', 'STATE', 'MODEL', 'LAST BIRTH'], rows) : 'No device yet.'
  return done(json, text)
}
