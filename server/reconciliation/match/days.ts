import { zoneDay } from '../../platform/time/zone-day.ts'
import type { DaySpan } from './model.ts'

/** The days of a zone. Each is cached: to find its ends takes a hundred microseconds. */
export function daysOf(zone: string): DaySpan {
  const known = new Map<string, ReturnType<DaySpan>>()
  return (date) => {
    const span = known.get(date) ?? zoneDay(date, zone)
    known.set(date, span)
    return span
  }
}

/** The date so many days later. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 24 * 60 * 60_000).toISOString().slice(0, 10)
}
