import type { DeviceSummary } from '../../../devices/device.ts'
import type { DeviceRecords } from '../../../devices/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import { OPEN } from '../../shared/announcement-conditions.ts'
import { type CredentialsRow, createCredentialsMapping } from '../../shared/device-mapping.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import type { PostgresDatabase, Tx } from '../engine/database.ts'
import {
  type DeviceRow,
  deviceBySerial,
  lockDeviceBySerial,
  owned,
  visible,
  withStores,
} from '../rows/device-rows.ts'
import { addEvents, endTelling, eventOf } from '../rows/event-rows.ts'
import { createStoreRows } from '../rows/store-rows.ts'
import type { Missed } from './outbox/missed.ts'

type SummaryRow = { [F in keyof DeviceSummary]: Exclude<DeviceSummary[F], undefined> | null } & {
  serial: string
  active: boolean
  firmware: string
  model: string
}

interface Suppressed {
  queuedAt: number
}

export function createDeviceRecords(
  database: PostgresDatabase,
  { markAllShown }: Pick<Missed, 'markAllShown'>,
  register: DeviceRecords['register'],
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): DeviceRecords {
  const { read, gathered, write, revisions, audit, vault } = database
  const keys = sealedFields(vault, 'devices')
  const toCredentials = createCredentialsMapping(vault)
  const storeRows = createStoreRows(vault)
  const readCredentials = gathered<string, CredentialsRow | undefined>(
    'devices.credentials',
    async (query, serials) => {
      const rows = await query<CredentialsRow & { serial: string }>(
        'devices.credentials',
        `SELECT d.serial, d.id AS "deviceId", d.key, d.login_hash AS "loginHash", d.revoked_at AS "revokedAt",
           r.key AS "nextKey", r.login_hash AS "nextLoginHash"
         FROM devices d LEFT JOIN device_rekeys r ON r.id = d.id WHERE d.serial = ANY($1::text[])`,
        [serials],
      )
      const found = new Map(rows.map((row) => [row.serial, row]))
      return serials.map((serial) => found.get(serial))
    },
  )

  /** Runs an act in one transaction, and reports the announcements that it suppresses after the commit. */
  async function suppressing<T>(
    at: number,
    act: (tx: Tx, suppress: (row: DeviceRow) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    let suppressed: Suppressed[] = []
    const result = await write((tx) => {
      suppressed = []
      return act(tx, async (row) => {
        suppressed = await suppressOpen(tx, row, at)
      })
    })
    for (const { queuedAt } of suppressed) observe('suppressed', at - queuedAt)
    return result
  }

  return {
    mint: ({ id, serial, key, loginHash, at }) =>
      write(async (tx) => {
        const added = await tx.query(
          'devices.mint',
          `WITH added AS (
             INSERT INTO devices (id, serial, key, login_hash, device_name, created_at)
             VALUES ($1, $2, $3, $4, $2, $5) ON CONFLICT (serial) DO NOTHING RETURNING number
           )
           INSERT INTO device_state (device_number) SELECT number FROM added RETURNING 1`,
          [id, serial, keys.seal(id, 'key', key), loginHash, at],
        )
        if (added.length === 0) return false
        await audit.note(tx, { at, action: 'device.add', subject: serial })
        return true
      }),

    async list() {
      const rows = await read<SummaryRow>(
        'devices.list',
        `SELECT serial, client_id AS "clientId", active, revoked_at AS "revokedAt", firmware, model,
           last_birth_at AS "lastBirthAt"
         FROM devices ORDER BY created_at, id`,
      )
      return rows.map(withoutNulls)
    },

    revoke: (serial, at) =>
      suppressing(at, async (tx, suppress) => {
        const row = await lockDeviceBySerial(tx, serial)
        if (!row) return false
        if (row.revokedAt !== null) return true
        await suppress(row)
        await tx.query('devices.revoke', 'UPDATE devices SET revoked_at = $2 WHERE number = $1', [
          row.rowId,
          at,
        ])
        await audit.note(tx, { at, action: 'device.revoke', subject: serial })
        // To its partner, a revoked device does not exist.
        await addEvents(tx, eventOf(row, 'device.unregistered', at))
        await endTelling(tx, row.rowId)
        await revisions.raise(tx, 'wishes')
        return true
      }),

    async credentials(serial) {
      const row = await readCredentials(serial)
      return row && toCredentials(serial, row)
    },

    async revokedAmong(serials) {
      const rows = await read<{ serial: string }>(
        'devices.revokedAmong',
        'SELECT serial FROM devices WHERE serial = ANY($1::text[]) AND revoked_at IS NOT NULL',
        [serials],
      )
      return rows.map(({ serial }) => serial)
    },

    async findFor(clientId, serial) {
      const row = visible(clientId, await deviceBySerial(read, serial))
      return row && withStores(read, storeRows, row)
    },

    register,

    async unregister(clientId, serial, at) {
      const released = await suppressing(at, async (tx, suppress) => {
        const row = owned(clientId, await lockDeviceBySerial(tx, serial))
        if (!row) return undefined
        await suppress(row)
        // Missed payments of the old partner are not shown any more.
        const finish = await markAllShown(tx, row.rowId, at)
        await tx.query(
          'devices.release',
          "UPDATE devices SET client_id = NULL, user_id = NULL, rm_code = '', active = true WHERE number = $1",
          [row.rowId],
        )
        await tx.query('devices.unlink', 'DELETE FROM device_stores WHERE device_number = $1', [row.rowId])
        await audit.note(tx, { at, action: 'device.unregister', subject: serial, clientId })
        await addEvents(tx, eventOf(row, 'device.unregistered', at))
        await endTelling(tx, row.rowId)
        const free = { ...row, clientId: null, rmCode: '', active: true }
        return { device: await withStores(tx.query, storeRows, free), finish }
      })
      await released?.finish()
      return released?.device
    },

    setActive: (clientId, serial, active, at) =>
      suppressing(at, async (tx, suppress) => {
        const row = owned(clientId, await lockDeviceBySerial(tx, serial))
        if (!row) return undefined
        if (!active) await suppress(row)
        if (active !== row.active) {
          await tx.query('devices.setActive', 'UPDATE devices SET active = $2 WHERE number = $1', [
            row.rowId,
            active,
          ])
          const action = active ? 'device.unlock' : 'device.lock'
          await audit.note(tx, { at, action, subject: serial, clientId })
          await addEvents(tx, eventOf(row, `${action}ed`, at))
        }
        return { deviceId: row.id }
      }),

    askIdentify: (serial, at) =>
      write(async (tx) => {
        const asked = await tx.query(
          'devices.askIdentify',
          'UPDATE devices SET identify_asked_at = $2 WHERE serial = $1 AND revoked_at IS NULL RETURNING 1',
          [serial, at],
        )
        if (asked.length === 0) return false
        await audit.note(tx, { at, action: 'device.identify', subject: serial })
        await revisions.raise(tx, 'wishes')
        return true
      }),

    async takeIdentifyRequests(since) {
      const waiting = await read(
        'devices.identifyRequests',
        'SELECT 1 FROM devices WHERE identify_asked_at IS NOT NULL LIMIT 1',
      )
      if (waiting.length === 0) return []
      const taken = await write((tx) =>
        tx.query<{ id: string; at: number }>(
          'devices.takeIdentifyRequests',
          `WITH asked AS MATERIALIZED (
             SELECT number, id, identify_asked_at AS at FROM devices WHERE identify_asked_at IS NOT NULL
             ORDER BY number FOR NO KEY UPDATE
           )
           UPDATE devices d SET identify_asked_at = NULL FROM asked a WHERE d.number = a.number
           RETURNING a.id, a.at`,
        ),
      )
      return taken.flatMap(({ id, at }) => (at >= since ? [id] : []))
    },

    recordIdentified: (deviceId, at) =>
      write(async (tx) => {
        await tx.query('devices.recordIdentified', 'UPDATE devices SET identified_at = $2 WHERE id = $1', [
          deviceId,
          at,
        ])
      }),

    async identifiedAt(serial) {
      const [row] = await read<{ at: number | null }>(
        'devices.identifiedAt',
        'SELECT identified_at AS at FROM devices WHERE serial = $1',
        [serial],
      )
      return row?.at ?? undefined
    },
  }
}

/** Suppresses what is open for a locked device: none can follow before the commit. */
function suppressOpen(tx: Tx, { rowId }: DeviceRow, at: number): Promise<Suppressed[]> {
  // Locked by rising number, as every act locks announcements.
  return tx.query<Suppressed>(
    'devices.suppressOpen',
    `WITH open AS MATERIALIZED (
       SELECT number FROM announcements WHERE device_number = $1 AND ${OPEN} ORDER BY number FOR NO KEY UPDATE
     )
     UPDATE announcements a SET stage = 'suppressed', suppressed_at = $2 FROM open WHERE a.number = open.number
     RETURNING a.queued_at AS "queuedAt"`,
    [rowId, at],
  )
}
