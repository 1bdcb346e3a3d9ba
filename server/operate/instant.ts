const UNIT_MS = { d: 24 * 60 * 60_000, h: 60 * 60_000, m: 60_000, s: 1_000 } as const
const DURATION = /^([1-9][0-9]{0,5})([smhd])$/
/** A date and perhaps a time, as ISO 8601 writes it; a space for the T, as `when` writes it. */
const ISO = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** Reads a duration such as 90s, 10m, 24h or 7d, in milliseconds. Undefined when it is none. */
export function readDuration(text: string): number | undefined {
  const [, number, unit] = DURATION.exec(text) ?? []
  return unit === undefined ? undefined : Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

/**
 * Reads an instant: a duration before `now`, or ISO 8601. Without an offset it is in the zone of the process, as all that
 * the commands print. Undefined when it is neither.
 */
export function readInstant(text: string, now: number): number | undefined {
  const duration = readDuration(text)
  if (duration !== undefined) return now - duration
  if (!ISO.test(text)) return undefined
  const [date, time = '00:00'] = text.split(/[T ]/)
  // With a time and without an offset, Date.parse goes by the zone of the process.
  const at = Date.parse(`${date}T${time}`)
  return Number.isNaN(at) ? undefined : at
}

/** How long ago an instant is, for a person: `45s`, `3m`, `2h`, `4d`. */
export function ago(at: number, now: number): string {
  const ms = Math.max(0, now - at)
  const [unit, size] = Object.entries(UNIT_MS).find(([, size]) => ms >= size) ?? ['s', UNIT_MS.s]
  return `${Math.floor(ms / size)}${unit}`
}
