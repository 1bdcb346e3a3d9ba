import type { Departure, HealthRecords } from '../../../devices/ports.ts'
import { isoInstant } from '../../../platform/clock.ts'
import { type Act, type Engine, rows } from '../act.ts'
import { eventOf, tellOnline } from '../device-events.ts'

/** Devices of a page. */
const PAGE = 500

/** A device that a partner has registered, with what the partner was last told of it. */
export interface NotifiedRow {
  rowId: number
  deviceId: string
  serial: string
  clientId: string
  lastBirthAt: number | null
  sessionId: string | null
  isOnline: boolean | number | null
  isBatteryLow: boolean | number | null
}

interface OnlineRow extends Pick<NotifiedRow, 'rowId' | 'deviceId' | 'sessionId' | 'lastBirthAt'> {
  reportedAt: number | null
  leftAt: number | null
  heardAt: number | null
}

/** What partners are told of the connections of their devices. */
export function createOnlineRecords(engine: Engine): Pick<HealthRecords, 'toldOnline' | 'tellOffline'> {
  const { reading, writing, events, sessions, trueLiteral } = engine

  return {
    toldOnline: reading(function* (after = 0) {
      const found = yield* rows<OnlineRow>(
        'health.toldOnline',
        `SELECT t.device_number AS "rowId", d.id AS "deviceId", s.session_id AS "sessionId",
           d.last_birth_at AS "lastBirthAt", h.reported_at AS "reportedAt", h.left_at AS "leftAt",
           s.heard_at AS "heardAt"
         FROM device_told t JOIN devices d ON d.number = t.device_number
           JOIN ${sessions} s ON s.device_number = t.device_number
           LEFT JOIN device_health h ON h.device_number = t.device_number
         WHERE t.device_number > $1 AND t.is_online = ${trueLiteral} AND NOT s.is_running
         ORDER BY t.device_number LIMIT ${PAGE}`,
        [after],
      )
      const devices = found.map(({ deviceId, sessionId, lastBirthAt, reportedAt, leftAt, heardAt }) => ({
        ...{ deviceId, sessionId: sessionId ?? undefined },
        leftAt: Math.max(lastBirthAt ?? 0, reportedAt ?? 0, leftAt ?? 0, heardAt ?? 0),
      }))
      return { devices, next: found.length < PAGE ? undefined : found.at(-1)?.rowId }
    }),

    tellOffline: writing(function* (departures, at) {
      const byDevice = new Map(departures.map((departure) => [departure.deviceId, departure]))
      const devices = yield* lockNotified(engine, [...byDevice.keys()])
      const gone = devices.flatMap((device) => {
        const departure = byDevice.get(device.deviceId)
        return departure && device.isOnline && !isBack(device, departure) ? [{ device, ...departure }] : []
      })
      const rowIds = gone.map(({ device }) => device.rowId)
      yield* tellOnline(engine, rowIds, false)
      yield* events(
        gone.flatMap(({ device, leftAt }) =>
          eventOf(device, 'device.offline', at, { lastSeenAt: isoInstant(leftAt) }),
        ),
      )
    }),
  }
}

/** Whether another session has had the device since. It may have given it up: then that one tells of it. */
function isBack({ sessionId, lastBirthAt }: NotifiedRow, left: Departure): boolean {
  return sessionId === null ? (lastBirthAt ?? 0) > left.leftAt : sessionId !== left.sessionId
}

/** Locks devices in the order in which every act locks them, and reads those that a partner has registered. */
export function* lockNotified(
  engine: Pick<Engine, 'lock' | 'sessions' | 'among'>,
  deviceIds: readonly string[],
): Act<NotifiedRow[]> {
  yield* engine.lock(
    'health.lock',
    `SELECT 1 FROM device_state
     WHERE device_number IN (SELECT number FROM devices WHERE ${engine.among('id', '$1')}) ORDER BY device_number`,
    [deviceIds],
  )
  return yield* readNotified(engine, deviceIds)
}

export function readNotified(
  { sessions, among }: Pick<Engine, 'sessions' | 'among'>,
  deviceIds: readonly string[],
): Act<NotifiedRow[]> {
  return rows<NotifiedRow>(
    'health.told',
    `SELECT d.number AS "rowId", d.id AS "deviceId", d.serial, d.client_id AS "clientId",
       d.last_birth_at AS "lastBirthAt",
       (SELECT s.session_id FROM ${sessions} s WHERE s.device_number = d.number) AS "sessionId",
       (SELECT t.is_online FROM device_told t WHERE t.device_number = d.number) AS "isOnline",
       (SELECT t.is_battery_low FROM device_told t WHERE t.device_number = d.number) AS "isBatteryLow"
     FROM devices d WHERE ${among('d.id', '$1')} AND d.client_id IS NOT NULL`,
    [deviceIds],
  )
}
