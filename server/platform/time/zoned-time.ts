const MINUTE_MS = 60_000
const OFFSET = /GMT(?:([+-]\d{2}):(\d{2}))?/

/** ISO 8601 with milliseconds and an offset in minutes, as `2026-11-20T10:15:30.000+07:00`. */
export function withOffset(ms: number, minutes: number): string {
  const local = new Date(ms + minutes * MINUTE_MS).toISOString().slice(0, -1)
  const digits = (value: number) => String(value).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${local}${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}:${digits(size % 60)}`
}

/**
 * Returns a function that formats an instant with the offset of a zone at that instant. Offsets of long ago have seconds:
 * these are left out of offset and time, which still name the same instant. Throws a RangeError for an unknown zone.
 */
export function zonedTime(zone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  return (ms) => {
    const [, hours = '+00', minutes = '00'] = OFFSET.exec(format.format(ms)) ?? []
    return withOffset(ms, Number(hours) * 60 + Number(`${hours[0]}${minutes}`))
  }
}
