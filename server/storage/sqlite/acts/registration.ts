import { and, desc, eq, sql } from 'drizzle-orm'
import type { DeviceRecords, Registration, RegistrationResult } from '../../../devices/ports.ts'
import type { Vault } from '../../../security/vault.ts'
import type { StorageRules } from '../../rules.ts'
import { phoneHash, sealedFields } from '../../shared/sealed-columns.ts'
import type { OpenDatabase } from '../engine/database.ts'
import type { DeviceRows } from '../rows/device-rows.ts'
import type { EventRows } from '../rows/event-rows.ts'
import type { StoreRows } from '../rows/store-rows.ts'
import { deviceStores, devices, stores, users, verificationCodes } from '../schema/schema.ts'

/** Registers a device in one act: uses the code, and adds or updates the user, the store and the link. */
export function createRegister(
  { orm, writing, revisions, audit }: OpenDatabase,
  vault: Vault,
  { rows, storeRows, events }: { rows: DeviceRows; storeRows: StoreRows; events: EventRows },
  { judgeCode, codesCompared }: Pick<StorageRules, 'judgeCode' | 'codesCompared'>,
): DeviceRecords['register'] {
  const phones = sealedFields(vault, 'users')

  function spendCode(deviceId: string, { clientId, codeHashes }: Registration, at: number) {
    const codes = orm
      .select()
      .from(verificationCodes)
      .where(and(eq(verificationCodes.deviceId, deviceId), eq(verificationCodes.clientId, clientId)))
      .orderBy(desc(verificationCodes.issuedAt))
      .limit(codesCompared)
      .all()
    const verdict = judgeCode(codes, codeHashes, at)
    const outstanding = codes.find((code) => code.state === 'outstanding')
    if (outstanding && (verdict === 'right' || verdict === 'wrong'))
      orm
        .update(verificationCodes)
        .set({ state: verdict === 'right' ? 'used' : 'burnt' })
        .where(eq(verificationCodes.id, outstanding.id))
        .run()
    return { verdict, isNewest: outstanding !== undefined && outstanding.id === newestCodeOf(deviceId) }
  }

  function newestCodeOf(deviceId: string): string | undefined {
    return orm
      .select({ id: verificationCodes.id })
      .from(verificationCodes)
      .where(eq(verificationCodes.deviceId, deviceId))
      .orderBy(desc(verificationCodes.issuedAt), desc(verificationCodes.id))
      .get()?.id
  }

  function userOf({ clientId, phoneNumber, newUserId }: Registration, at: number): string {
    const hash = phoneHash(vault, clientId, phoneNumber)
    const mine = and(eq(users.clientId, clientId), eq(users.phoneHash, hash))
    const known = orm.select({ id: users.id }).from(users).where(mine).get()
    if (known) return known.id
    const phone = phones.seal(newUserId, 'phone', phoneNumber)
    orm.insert(users).values({ id: newUserId, clientId, phoneHash: hash, phone, createdAt: at }).run()
    return newUserId
  }

  /** The store, and what the audit says about it. */
  function storeOf({ clientId, store, newStoreId }: Registration, userId: string, at: number) {
    const mine = and(eq(stores.clientId, clientId), eq(stores.terminalID, store.terminalID))
    const known = orm.select({ id: stores.id }).from(stores).where(mine).get()
    if (known) {
      return { storeId: known.id, changed: storeRows.update(known.id, { ...store, userId }, at) }
    }
    storeRows.insert({ id: newStoreId, clientId, userId }, store, at)
    return { storeId: newStoreId, created: true }
  }

  return writing((request, at): RegistrationResult => {
    const { clientId, serial } = request
    const row = rows.visible(clientId, serial)
    if (!row) return { kind: 'device_not_found' }
    const { verdict, isNewest } = spendCode(row.id, request, at)
    if (verdict === 'wrong') {
      audit.note({ at, action: 'code.burn', subject: serial, clientId })
      return { kind: 'code_wrong', deviceId: row.id, isNewest }
    }
    if (verdict !== 'right') return { kind: `code_${verdict}` }

    const userId = userOf(request, at)
    const details = storeOf(request, userId, at)
    const { storeId } = details
    audit.note({ at, action: 'device.register', subject: serial, clientId, details })
    revisions.raise('stores')
    const owner = { clientId, userId, ...(request.rmCode !== undefined && { rmCode: request.rmCode }) }
    orm.update(devices).set(owner).where(eq(devices.id, row.id)).run()
    const storeRowId = sql`(select ${stores.rowId} from ${stores} where ${eq(stores.id, storeId)})`
    orm
      .insert(deviceStores)
      .values({ deviceRowId: row.rowId, storeRowId, linkedAt: at })
      .onConflictDoNothing({ target: [deviceStores.storeRowId, deviceStores.deviceRowId] })
      .run()
    events.begin(row.rowId)
    events.add(clientId, 'device.registered', at, { deviceSerial: serial, storeId })
    return {
      kind: 'registered',
      userId,
      store: storeRows.get(storeId),
      device: rows.withStores({ ...row, ...owner }),
      deviceIds: rows.speakersOf(storeId).map((speaker) => speaker.deviceId),
    }
  })
}
