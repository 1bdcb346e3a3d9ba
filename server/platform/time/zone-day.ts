const HOUR_MS = 60 * 60_000

/** A name of the time zone database, as `Asia/Ho_Chi_Minh` or `UTC`, that this system knows; not an offset. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return false
  try {
    return dateIn(name)(0) !== ''
  } catch {
    return false
  }
}

/** YYYY-MM-DD, of a day that there is. */
export function isDate(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** Tells the date of an instant in a zone. Throws a RangeError for an unknown zone. */
export function dateIn(zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'iso8601', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  })
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`
  }
}

/** The instants at which a date begins and ends in a zone. They are equal when the zone has skipped the date. */
export function zoneDay(date: string, zone: string): { from: number; until: number } {
  const dateAt = dateIn(zone)
  const middle = Date.parse(`${date}T12:00:00Z`)
  /** The first instant after `low` at which it is that date, or is it no longer. */
  const first = (isThere: (at: string) => boolean) => {
    // No zone is further from UTC than 14 hours, and no day is longer than 26 (Antarctica/Troll).
    let [low, high] = [middle - 28 * HOUR_MS, middle + 40 * HOUR_MS]
    while (high - low > 1) {
      const at = Math.floor((low + high) / 2)
      if (isThere(dateAt(at))) high = at
      else low = at
    }
    return high
  }
  return { from: first((at) => at >= date), until: first((at) => at > date) }
}
