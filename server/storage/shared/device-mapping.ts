import type { DeviceCredentials } from '../../devices/device.ts'
import type { FirmwareOffer, MaintenanceCap, MaintenanceDue } from '../../devices/maintenance.ts'
import type { Vault } from '../../security/vault.ts'
import { type SealedField, type SealedFields, sealedFields } from './sealed-columns.ts'

/** A device's keys as they are read: both in one read, because a birth may put the next one in force between two. */
export interface CredentialsRow {
  deviceId: string
  key: Buffer
  loginHash: Buffer
  revokedAt: number | null
  nextKey: Buffer | null
  nextLoginHash: Buffer | null
}

export function createCredentialsMapping(vault: Vault) {
  const [keys, nextKeys] = [sealedFields(vault, 'devices'), sealedFields(vault, 'deviceRekeys')]

  return function toCredentials(serial: string, row: CredentialsRow): DeviceCredentials {
    const { deviceId, loginHash, revokedAt, nextKey, nextLoginHash } = row
    const key = keys.open(deviceId, 'key', row.key)
    const next =
      nextKey && nextLoginHash
        ? { key: nextKeys.open(deviceId, 'key', nextKey), loginHash: nextLoginHash }
        : undefined
    return { deviceId, serial, key, loginHash, next, revoked: revokedAt !== null }
  }
}

/** What waits for a device, whether or not it can take it. */
export interface DueRow {
  deviceId: string
  /** Separated by spaces. */
  caps: string
  key: Buffer | null
  keySince: number | null
  offer: FirmwareOffer | null
  offerSince: number | null
}

export function isAble(caps: string, cap: MaintenanceCap): boolean {
  return caps.split(' ').includes(cap)
}

/** What is to be sent to the device. */
export function toDue(
  nextKeys: SealedFields<SealedField<'deviceRekeys'>>,
  { deviceId, caps, key, keySince, offer, offerSince }: DueRow,
): MaintenanceDue {
  return {
    deviceId,
    ...(key && keySince !== null && isAble(caps, 'rekey')
      ? { rekey: { nextKey: nextKeys.open(deviceId, 'key', key), since: keySince } }
      : {}),
    ...(offer && offerSince !== null && isAble(caps, 'update')
      ? { update: { offer, since: offerSince } }
      : {}),
  }
}
