import { type Placeholder, sql } from 'drizzle-orm'
import { OPEN, UNSEEN } from '../../shared/announcement-conditions.ts'
import { announcements } from '../schema/schema.ts'

/** Conditions on announcements, for Drizzle. */
export const isOpen = sql.raw(OPEN)
export const isUnseen = sql.raw(UNSEEN)

/** For the device of this id, found by its row id, with which the indices begin. */
export function isFor(deviceId: string | Placeholder) {
  return sql`${announcements.deviceRowId} = (select d.number from devices d where d.id = ${deviceId})`
}
