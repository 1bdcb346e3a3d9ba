import type { KeyedRecords } from '../../../devices/ports.ts'
import { isoInstant } from '../../../platform/clock.ts'
import { type Engine, row, rows } from '../act.ts'
import { eventOf } from '../device-events.ts'
import { type DeviceRow, lockDevice } from '../device-rows.ts'
import { createStoreRows } from '../store-rows.ts'

/** A device repeats a request within seconds, until it is answered. */
const KEPT_MS = 24 * 60 * 60_000

export function createKeyedRecords(engine: Engine): KeyedRecords {
  const { reading, writing, events } = engine
  const stores = createStoreRows(engine)

  return {
    shopsOf: reading(function* (deviceId) {
      const device = yield* row<{ rowId: number; serial: string; clientId: string | null }>(
        'keyed.device',
        `SELECT number AS "rowId", serial, client_id AS "clientId" FROM devices
         WHERE id = $1 AND active AND revoked_at IS NULL`,
        [deviceId],
      )
      if (!device || device.clientId === null) return undefined
      const { rowId, serial, clientId } = device
      return { clientId, serial, stores: yield* stores.ofDevice(rowId) }
    }),

    key: writing(function* (clientId, { deviceId, requestId, amount, keyedId, storeId, expiresAt }, at) {
      const device = yield* lockDevice(engine, 'id', deviceId)
      if (!device || !isOf(device, clientId)) return undefined
      const known = yield* row<{ keyedId: string; storeId: string | null }>(
        'keyed.find',
        `SELECT keyed_id AS "keyedId", store_id AS "storeId" FROM keyed_amounts
         WHERE device_number = $1 AND request_id = $2 AND at > $3`,
        [device.rowId, requestId, at - KEPT_MS],
      )
      if (known) return { keyedId: known.keyedId, storeId: known.storeId ?? undefined, isRepeat: true }
      yield* rows('keyed.forget', 'DELETE FROM keyed_amounts WHERE device_number = $1 AND at <= $2', [
        device.rowId,
        at - KEPT_MS,
      ])
      yield* rows(
        'keyed.add',
        'INSERT INTO keyed_amounts (device_number, request_id, keyed_id, store_id, at) VALUES ($1, $2, $3, $4, $5)',
        [device.rowId, requestId, keyedId, storeId ?? null, at],
      )
      if (storeId === undefined) {
        const storeIds = (yield* stores.ofDevice(device.rowId)).map(({ id }) => id)
        const data = { storeIds, transactionAmount: amount, keyedId, expiresAt: isoInstant(expiresAt) }
        yield* events(eventOf(device, 'amount.keyed', at, data))
      }
      return { keyedId, storeId, isRepeat: false }
    }),
  }
}

const isOf = ({ active, revokedAt, clientId: owner }: DeviceRow, clientId: string) =>
  active && revokedAt === null && owner === clientId
