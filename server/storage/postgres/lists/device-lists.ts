import type { DeviceFilter, DeviceLists } from '../../../devices/ports.ts'
import { type ReportRow, toReport } from '../../shared/device-mapping.ts'
import { createStoreMapping, type StoreRow } from '../../shared/store-mapping.ts'
import { type ChooseRange, placed, type Window, walkBack } from '../../shared/walk-back.ts'
import type { PostgresDatabase } from '../engine/database.ts'
import { groupBy } from '../rows/columns.ts'
import { STORE_COLUMNS, STORE_TOTALS } from '../rows/store-rows.ts'
import { endsOf, rowsOfPartner, scan } from './numbered-rows.ts'

/**
 * Devices `d` with all that is known of them. A device of a hub that beats is connected while that hub runs. For a hub
 * that does not, $1 is its start; null when it is not running: nobody is connected to it then.
 */
const REPORTS = `SELECT d.number AS "rowId", d.id AS "deviceId", d.serial, d.client_id AS "clientId", d.active,
    d.revoked_at AS "revokedAt", d.firmware, d.model, d.last_birth_at AS "lastBirthAt", d.created_at AS "createdAt",
    d.lang, d.caps, d.device_name AS "deviceName", d.rm_code AS "rmCode", h.battery, h.signal, h.volume, h.queue, h.reported_at AS "reportedAt", h.left_at AS "leftAt",
    h.update_progress AS "updateProgress", r.since AS "nextKeySince", o.offer, o.since AS "offerSince",
    s.connected, s.seen_at AS "lastSeenAt"
  FROM devices d
    JOIN device_state st ON st.device_number = d.number
    LEFT JOIN device_health h ON h.device_number = d.number
    LEFT JOIN device_rekeys r ON r.id = d.id
    LEFT JOIN device_offers o ON o.id = d.id
    CROSS JOIN LATERAL (SELECT
      coalesce(d.revoked_at IS NULL AND st.session_id IS NOT NULL AND CASE WHEN st.hub IS NULL
        THEN d.last_birth_at >= $1::bigint AND coalesce(h.left_at, 0) <= d.last_birth_at
        ELSE st.hub IN (SELECT id FROM live_hubs) END, false) AS connected,
      greatest(d.last_birth_at, h.reported_at, h.left_at, 0) AS seen_at
    ) s`

const STATES: Record<NonNullable<DeviceFilter['state']>, string> = {
  online: 's.connected',
  offline: 'd.revoked_at IS NULL AND NOT s.connected',
  locked: 'd.revoked_at IS NULL AND NOT d.active',
  free: 'd.revoked_at IS NULL AND d.client_id IS NULL',
  revoked: 'd.revoked_at IS NOT NULL',
}

type LinkedRow = StoreRow & { deviceRowId: number }

export function createDeviceLists({ read, vault }: PostgresDatabase): DeviceLists {
  const { toStore } = createStoreMapping(vault)

  /** Stores by the row ids of their devices. */
  async function storesOf(devices: ReportRow[]) {
    const rows = await read<LinkedRow>(
      'lists.devices stores',
      `SELECT l.device_number AS "deviceRowId", ${STORE_COLUMNS}
       FROM device_stores l JOIN stores s ON s.number = l.store_number ${STORE_TOTALS}
       WHERE l.device_number = ANY($1::bigint[]) ORDER BY l.linked_at, s.id`,
      [devices.map(({ rowId }) => rowId)],
    )
    return groupBy(rows, ({ deviceRowId }) => deviceRowId)
  }

  async function withStores(devices: ReportRow[]) {
    const stores = await storesOf(devices)
    return (row: ReportRow) => {
      const linked = stores.get(row.rowId) ?? []
      return toReport(
        row,
        linked.map(({ deviceRowId, ...store }) => toStore(store)),
      )
    }
  }

  return {
    async page(filter, hubSince, page) {
      const { clientId, state, serialPrefix, silentSince, batteryAtMost } = filter
      const { connected, active, revoked, storeId } = filter
      const below = (await endsOf(read, 'devices')).highest + 1
      const rows = (window: Window) =>
        read<ReportRow>(
          `lists.devices ${state ?? 'all'}`,
          `${REPORTS} WHERE d.number >= $2 AND d.number < $3 AND ${state ? STATES[state] : 'true'}
             AND ($5::text IS NULL OR d.client_id = $5)
             AND ($6::text IS NULL OR starts_with(d.serial, $6))
             AND ($7::bigint IS NULL
               OR d.revoked_at IS NULL AND NOT s.connected AND s.seen_at BETWEEN 1 AND $7)
             AND ($8::bigint IS NULL OR h.battery <= $8)
             AND ($9::boolean IS NULL OR s.connected = $9)
             AND ($10::boolean IS NULL OR d.active = $10)
             AND ($11::boolean IS NULL OR (d.revoked_at IS NOT NULL) = $11)
             AND ($12::text IS NULL OR EXISTS (
               SELECT 1 FROM device_stores l WHERE l.device_number = d.number
                 AND l.store_number = (SELECT o.number FROM stores o WHERE o.id = $12)
             ))
           ORDER BY d.number DESC LIMIT $4`,
          [
            hubSince,
            window.from,
            window.below,
            window.limit,
            clientId,
            serialPrefix,
            silentSince,
            batteryAtMost,
            ...[connected, active, revoked, storeId],
          ],
        )
      const choose: ChooseRange = clientId === undefined ? scan : rowsOfPartner(read, 'devices', clientId)
      const found = await walkBack(page, { least: 1, below }, rows, choose)
      return placed(found, await withStores(found.rows))
    },

    async find(serial, hubSince) {
      const rows = await read<ReportRow>('lists.devices find', `${REPORTS} WHERE d.serial = $2`, [
        hubSince,
        serial,
      ])
      return rows.map(await withStores(rows))[0]
    },
  }
}
