import type { DeviceRecords, Registration, RegistrationResult } from '../../../devices/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { phoneHashes, sealedFields } from '../../shared/sealed-columns.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'
import { holdKeyInForce } from '../engine/key-in-force.ts'
import { type DeviceRow, lockDeviceBySerial, speakersOf, visible, withStores } from '../rows/device-rows.ts'
import { addEvents, beginTelling } from '../rows/event-rows.ts'
import type { StoreRows } from '../rows/store-rows.ts'

type CodeRow = Parameters<StorageRules['judgeCode']>[0][number] & { id: string }

/** Registers a device in one act: uses the code, and adds or updates the user, the store and the link. */
export function createRegister(
  { write, audit, vault }: PostgresDatabase,
  storeRows: StoreRows,
  { judgeCode, codesCompared }: Pick<StorageRules, 'judgeCode' | 'codesCompared'>,
): DeviceRecords['register'] {
  const phones = sealedFields(vault, 'users')

  /** The lock of the device keeps all its codes as they are. */
  async function spendCode(tx: Tx, deviceId: string, { clientId, codeHashes }: Registration, at: number) {
    const codes = await tx.query<CodeRow>(
      'codes.newest',
      `SELECT id, hash, state, expires_at AS "expiresAt" FROM verification_codes
       WHERE device_id = $1 AND client_id = $2 ORDER BY issued_at DESC, id DESC LIMIT $3`,
      [deviceId, clientId, codesCompared],
    )
    const verdict = judgeCode(codes, codeHashes, at)
    const outstanding = codes.find((code) => code.state === 'outstanding')
    if (outstanding && (verdict === 'right' || verdict === 'wrong'))
      await tx.query('codes.spend', 'UPDATE verification_codes SET state = $2 WHERE id = $1', [
        outstanding.id,
        verdict === 'right' ? 'used' : 'burnt',
      ])
    const isNewest = outstanding !== undefined && outstanding.id === (await newestCodeOf(tx, deviceId))
    return { verdict, isNewest }
  }

  async function newestCodeOf(tx: Tx, deviceId: string): Promise<string | undefined> {
    const [newest] = await tx.query<{ id: string }>(
      'codes.newestOfDevice',
      'SELECT id FROM verification_codes WHERE device_id = $1 ORDER BY issued_at DESC, id DESC LIMIT 1',
      [deviceId],
    )
    return newest?.id
  }

  async function userOf(
    tx: Tx,
    { clientId, phoneNumber, newUserId }: Registration,
    at: number,
  ): Promise<string> {
    await holdKeyInForce(tx, vault)
    const hashes = phoneHashes(vault, clientId, phoneNumber)
    const byPhone = async () => {
      const [user] = await tx.query<{ id: string }>(
        'users.byPhone',
        'SELECT id FROM users WHERE client_id = $1 AND phone_hash = ANY($2::bytea[])',
        [clientId, hashes],
      )
      return user
    }
    const known = await byPhone()
    if (known) return known.id
    const phone = phones.seal(newUserId, 'phone', phoneNumber)
    const [, user] = await Promise.all([
      tx.query(
        'users.add',
        `INSERT INTO users (id, client_id, phone_hash, phone, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (client_id, phone_hash) DO NOTHING`,
        [newUserId, clientId, hashes[0], phone, at],
      ),
      byPhone(),
    ])
    if (!user) throw new Error('the user was stored a line above')
    return user.id
  }

  /** The store, and what the audit says about it. */
  async function storeOf(tx: Tx, request: Registration, userId: string, at: number) {
    const { clientId, store, newStoreId } = request
    for (;;) {
      const [known] = await tx.query<{ id: string }>(
        'stores.lockByTerminal',
        'SELECT id FROM stores WHERE client_id = $1 AND terminal_id = $2 FOR NO KEY UPDATE',
        [clientId, store.terminalID],
      )
      if (known) {
        const changed = await storeRows.update(tx, known.id, { ...store, userId }, at)
        return { storeId: known.id, changed }
      }
      const isAdded = await storeRows.insert(tx, { id: newStoreId, clientId, userId }, store, at)
      if (isAdded) return { storeId: newStoreId, created: true }
      // Another transaction has stored it meanwhile.
    }
  }

  async function link(tx: Tx, row: DeviceRow, storeId: string, userId: string, at: number) {
    await tx.query(
      'devices.register',
      'UPDATE devices SET client_id = $2, user_id = $3, rm_code = $4 WHERE number = $1',
      [row.rowId, row.clientId, userId, row.rmCode],
    )
    await tx.query(
      'devices.link',
      `INSERT INTO device_stores (store_number, device_number, linked_at)
       SELECT number, $2, $3 FROM stores WHERE id = $1
       ON CONFLICT (store_number, device_number) DO NOTHING`,
      [storeId, row.rowId, at],
    )
  }

  return (request, at) =>
    write(async (tx): Promise<RegistrationResult> => {
      const { clientId, serial } = request
      const row = visible(clientId, await lockDeviceBySerial(tx, serial))
      if (!row) return { kind: 'device_not_found' }
      const { verdict, isNewest } = await spendCode(tx, row.id, request, at)
      if (verdict === 'wrong') {
        await audit.note(tx, { at, action: 'code.burn', subject: serial, clientId })
        return { kind: 'code_wrong', deviceId: row.id, isNewest }
      }
      if (verdict !== 'right') return { kind: `code_${verdict}` }

      const userId = await userOf(tx, request, at)
      const details = await storeOf(tx, request, userId, at)
      const { storeId } = details
      const registered = { ...row, clientId, rmCode: request.rmCode ?? row.rmCode }
      await link(tx, registered, storeId, userId, at)
      await audit.note(tx, { at, action: 'device.register', subject: serial, clientId, details })
      await beginTelling(tx, row.rowId)
      const data = { deviceSerial: serial, storeId }
      await addEvents(tx, [{ clientId, type: 'device.registered', at, data }])
      const [store, device, speakers] = await Promise.all([
        storeRows.get(tx.query, storeId),
        withStores(tx.query, storeRows, registered),
        speakersOf(tx.query, storeId),
      ])
      return {
        kind: 'registered',
        userId,
        store,
        device,
        deviceIds: speakers.map(({ deviceId }) => deviceId),
      }
    })
}
