import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import { byPartner } from '../security/actor.ts'
import type { Vault } from '../security/vault.ts'
import type { Store, StoreChange } from '../stores/store.ts'
import type { Device } from './device.ts'
import { readLabel } from './label.ts'
import type { DeviceRecords, Registration, Screens } from './ports.ts'
import { codeHashes, deviceUnknown, quotaUsed } from './send-verification.ts'

export interface RegistrationRequest extends Pick<Registration, 'serial' | 'phoneNumber' | 'rmCode'> {
  /** The six digits on the screen, or the label of a device that can neither show nor say a code. */
  verificationCode: string
  store: StoreChange & { terminalID: string }
}

/** Links a device to its user and store with the code that its screen shows, or with the label that stands on it. */
export function registerDevice(deps: {
  devices: DeviceRecords
  screens: Screens
  vault: Vault
  clock: Clock
  ids: Ids
}) {
  return async function registerDevice(
    clientId: string,
    request: RegistrationRequest,
  ): Promise<{ userId: string; store: Store; device: Device }> {
    const { vault, ids, clock } = deps
    const { serial, verificationCode, phoneNumber, store, rmCode } = request
    const label = readLabel(verificationCode)
    const registration: Registration = {
      ...{ clientId, serial, phoneNumber, rmCode },
      codeHashes: label === undefined ? codeHashes(vault, clientId, serial, verificationCode) : [],
      label,
      store: { ...store, phoneNumber },
      newUserId: ids.uuid(),
      newStoreId: ids.uuid(),
      newCodeId: ids.uuid(),
    }
    const result = await deps.devices.register(byPartner(clientId), registration, clock.now())
    switch (result.kind) {
      case 'device_not_found':
        throw deviceUnknown()
      case 'code_wrong':
        // The code is burnt: nobody should type it again.
        if (result.isNewest) deps.screens.clearCode(result.deviceId)
        throw new HubError('VERIFICATION_CODE_INVALID')
      case 'code_expired':
        throw new HubError('VERIFICATION_CODE_EXPIRED')
      case 'code_none':
        throw new HubError('VERIFICATION_CODE_NOT_FOUND')
      case 'code_quota':
        throw quotaUsed(result.freeAgainAt, clock.now())
      case 'registered':
        deps.screens.clearCode(result.device.id)
        for (const deviceId of result.deviceIds) deps.screens.refresh(deviceId)
        return result
    }
  }
}
