import { createHash } from 'node:crypto'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import type { Vault } from '../../../server/security/vault.ts'
import { phoneHash, type SealedField, sealedFields } from '../../../server/storage/shared/sealed-columns.ts'
import type { Shop } from '../parts/market.ts'

/** Coprime to every number of shops here, so that its multiples visit all shops in a scattered order. */
const STRIDE = 7_919

export interface Size {
  payments: number
  /** Each device has its own shop. */
  devices: number
}

/** The index of a shop. Consecutive numbers visit every shop once in a scattered order. */
export function shopIndex(number: number, { devices }: Pick<Size, 'devices'>): number {
  return (number * STRIDE) % devices
}

/** A shop of a filled database, by such a number. */
export function shopAt(number: number, size: Pick<Size, 'devices'>): Shop {
  return seededShop(shopIndex(number, size))
}

/** Derives a device's key from its number, so that no list of keys is needed. */
export function seededShop(index: number): Shop {
  const key = createHash('sha256').update(`key of device ${index}`).digest()
  return { terminalID: `TILL-${index}`, serial: `SEED-${index}`, key }
}

/** What every seeded store has. */
export const BANK = {
  bank_name: 'MB Bank',
  bank_code: 'MB',
  bank_account_number: '0001234567',
  bank_account_name: 'NGUYEN VAN A',
}

export const staticQrOf = (index: number) => `static QR of TILL-${index}`

/** Makes the rows of seeded shops, sealed where they are sealed. Both engines have these columns. */
export function createShopRows(vault: Vault, clientId: string, at: number) {
  const users = sealedFields(vault, 'users')
  const stores = sealedFields(vault, 'stores')
  const devices = sealedFields(vault, 'devices')
  const ids = createRandomIds()

  return (index: number) => {
    const [userId, storeId, deviceId] = [ids.uuid(), ids.uuid(), ids.uuid()]
    const { terminalID: till, serial, key } = seededShop(index)
    const phone = `09${String(index).padStart(8, '0')}`
    const seal = (field: SealedField<'stores'>, value: string) => stores.seal(storeId, field, value)
    const byPartner = { client_id: clientId, created_at: at }
    return {
      user: {
        ...{ ...byPartner, id: userId, phone_hash: phoneHash(vault, clientId, phone) },
        phone: users.seal(userId, 'phone', phone),
      },
      store: {
        ...{ ...byPartner, id: storeId, user_id: userId, updated_at: at },
        ...{ terminal_id: till, terminal_name: till, store_name: `Shop ${index}` },
        ...{ bank_name: BANK.bank_name, bank_code: BANK.bank_code },
        owner_name: seal('ownerName', BANK.bank_account_name),
        identity_number: seal('identityNumber', '001099012345'),
        bank_account_number: seal('bankAccountNumber', BANK.bank_account_number),
        bank_account_name: seal('bankAccountName', BANK.bank_account_name),
        phone_number: seal('phoneNumber', phone),
        static_qr_code: seal('staticQRCode', staticQrOf(index)),
      },
      device: {
        ...{ ...byPartner, id: deviceId, user_id: userId, serial, device_name: serial },
        ...{ key: devices.seal(deviceId, 'key', key), login_hash: sb1.loginHash(key) },
        ...{ firmware: '1.0.0', model: 'SB-2', languages: 'vi en', last_birth_at: at },
      },
    }
  }
}
