import type { DeviceRecords, Registration, RegistrationResult } from '../../../devices/ports.ts'
import type { StorageRules } from '../../rules.ts'
import { phoneHashes, sealedFields } from '../../shared/sealed-columns.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import { noteChange } from '../audit-trail.ts'
import { eventOf } from '../device-events.ts'
import { type DeviceRow, lockLiveDevice, speakersOf, toDevice } from '../device-rows.ts'
import { createStoreRows, createStoreWrites } from '../store-rows.ts'
import { type LabelRules, spendLabel } from './labels.ts'

type CodeRules = Pick<StorageRules, 'judgeCode' | 'codesCompared'> & LabelRules

/** Registers a device in one act: uses the code, and adds or updates the user, the store and the link. */
export function createRegister(engine: Engine, rules: CodeRules): DeviceRecords['register'] {
  const { writing, events, raise } = engine
  const stores = { ...createStoreRows(engine), ...createStoreWrites(engine) }

  return writing(function* (by, request, at): Act<RegistrationResult> {
    const { clientId, serial } = request
    const device = yield* lockLiveDevice(engine, serial)
    if (!device || (device.clientId !== null && device.clientId !== clientId))
      return { kind: 'device_not_found' }
    const { verdict, isNewest, freeAgainAt } =
      request.label === undefined
        ? yield* spendCode(rules, device.id, request, at)
        : yield* spendLabel(engine, rules, device, { ...request, label: request.label }, at)
    if (verdict === 'quota') return { kind: 'code_quota', freeAgainAt }
    if (verdict === 'wrong') {
      yield* noteChange({ by, at, action: 'code.burn', subject: serial })
      return { kind: 'code_wrong', deviceId: device.id, isNewest }
    }
    if (verdict !== 'right') return { kind: `code_${verdict}` }

    const userId = yield* userOf(engine, request, at)
    const details = yield* storeOf(engine, stores, request, userId, at)
    const { storeId } = details
    const registered = { ...device, clientId, rmCode: request.rmCode ?? device.rmCode }
    yield* link(registered, storeId, userId, at)
    yield* noteChange({ by, at, action: 'device.register', subject: serial, details })
    yield* events(eventOf(registered, 'device.registered', at, { storeId }))
    const speakers = yield* speakersOf(storeId)
    const store = yield* stores.get(storeId)
    const linked = yield* stores.ofDevice(device.rowId)
    yield* raise('stores')
    return {
      kind: 'registered',
      userId,
      store,
      device: toDevice(registered, linked),
      deviceIds: speakers.map(({ deviceId }) => deviceId),
    }
  })
}

type CodeRow = Parameters<StorageRules['judgeCode']>[0][number] & { id: string }

/** Judges the presented code, and ends the outstanding one. The lock of the device keeps all its codes as they are. */
function* spendCode(
  { judgeCode, codesCompared }: CodeRules,
  deviceId: string,
  { clientId, codeHashes }: Registration,
  at: number,
) {
  const codes = yield* rows<CodeRow>(
    'codes.newest',
    `SELECT id, hash, state, expires_at AS "expiresAt" FROM verification_codes
     WHERE device_id = $1 AND client_id = $2 ORDER BY issued_at DESC, id DESC LIMIT $3`,
    [deviceId, clientId, codesCompared],
  )
  const verdict = judgeCode(codes, codeHashes, at)
  const outstanding = codes.find((code) => code.state === 'outstanding')
  if (outstanding && (verdict === 'right' || verdict === 'wrong'))
    yield* rows('codes.spend', 'UPDATE verification_codes SET state = $2 WHERE id = $1', [
      outstanding.id,
      verdict === 'right' ? 'used' : 'burnt',
    ])
  const newest = yield* row<{ id: string }>(
    'codes.newestOfDevice',
    'SELECT id FROM verification_codes WHERE device_id = $1 ORDER BY issued_at DESC, id DESC LIMIT 1',
    [deviceId],
  )
  return { verdict, isNewest: outstanding !== undefined && outstanding.id === newest?.id, freeAgainAt: at }
}

/** The id of the partner's user with this phone number, who is added when there is none. */
function* userOf(
  { holdKey, vault }: Pick<Engine, 'holdKey' | 'vault'>,
  { clientId, phoneNumber, newUserId }: Registration,
  at: number,
): Act<string> {
  yield* holdKey()
  const hashes = phoneHashes(vault, clientId, phoneNumber)
  function* byPhone() {
    for (const hash of hashes) {
      const user = yield* row<{ id: string }>(
        'users.byPhone',
        'SELECT id FROM users WHERE client_id = $1 AND phone_hash = $2',
        [clientId, hash],
      )
      if (user) return user
    }
    return undefined
  }
  const known = yield* byPhone()
  if (known) return known.id
  const phone = sealedFields(vault, 'users').seal(newUserId, 'phone', phoneNumber)
  yield* rows(
    'users.add',
    `INSERT INTO users (id, client_id, phone_hash, phone, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (client_id, phone_hash) DO NOTHING`,
    [newUserId, clientId, hashes[0], phone, at],
  )
  // Another transaction may have stored it at the same moment.
  const user = yield* byPhone()
  if (!user) throw new Error('the user was stored a line above')
  return user.id
}

/** The store of the terminal, which is added or changed, as the audit row tells it. */
function* storeOf(
  { lock }: Pick<Engine, 'lock'>,
  stores: ReturnType<typeof createStoreRows> & ReturnType<typeof createStoreWrites>,
  { clientId, store, newStoreId }: Registration,
  userId: string,
  at: number,
): Act<{ storeId: string; created: true } | { storeId: string; changed: string[] }> {
  const ofTerminal = 'FROM stores WHERE client_id = $1 AND terminal_id = $2'
  const values = [clientId, store.terminalID]
  for (;;) {
    yield* stores.insert({ id: newStoreId, clientId, userId }, store, at)
    const isLocked = yield* lock('stores.lockByTerminal', `SELECT 1 ${ofTerminal}`, values)
    const known = yield* row<{ id: string }>('stores.idByTerminal', `SELECT id ${ofTerminal}`, values)
    // Another transaction may have changed the terminal of a store meanwhile.
    if (!known || !isLocked) continue
    if (known.id === newStoreId) return { storeId: newStoreId, created: true }
    const before = yield* stores.get(known.id)
    return { storeId: known.id, changed: yield* stores.update(before, { ...store, userId }, at) }
  }
}

function* link(
  { rowId, clientId, rmCode }: DeviceRow,
  storeId: string,
  userId: string,
  at: number,
): Act<void> {
  yield* rows(
    'devices.register',
    'UPDATE devices SET client_id = $2, user_id = $3, rm_code = $4 WHERE number = $1',
    [rowId, clientId, userId, rmCode],
  )
  yield* rows(
    'devices.link',
    `INSERT INTO device_stores (store_number, device_number, linked_at)
     SELECT number, $2, $3 FROM stores WHERE id = $1
     ON CONFLICT (store_number, device_number) DO NOTHING`,
    [storeId, rowId, at],
  )
  // Its partner takes it for connected, as the code has just been on its screen, unless the device has left since.
  yield* rows(
    'devices.beginTelling',
    `INSERT INTO device_told (device_number, is_online)
     SELECT d.number, coalesce(h.left_at, 0) <= coalesce(d.last_birth_at, 0)
     FROM devices d LEFT JOIN device_health h ON h.device_number = d.number WHERE d.number = $1
     ON CONFLICT (device_number) DO NOTHING`,
    [rowId],
  )
}
