/** A date, or a date and time with or without an offset. It does not check the days of a month. */
export const ISO_8601 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[Tt]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?)?$/

/** YYYY-MM-DD, which Date.parse reads as midnight in UTC. */
const DATE_LENGTH = 10

/** The offset of a time without one: Vietnam has one time zone and no summer time. */
const LOCAL_OFFSET = '+07:00'

/** An offset may shift a date before it, which has no four-digit year to be answered with. */
const YEAR_ZERO = Date.parse('0000-01-01T00:00:00Z')

/** Parses an ISO 8601 date or date-time into milliseconds since the epoch; undefined when it is not one. */
export function parseIso8601(text: string): number | undefined {
  const match = ISO_8601.exec(text)
  if (!match) return undefined
  const [, , , day, hour = '00', minute = '00', second = '00', fraction = '', offset = LOCAL_OFFSET] = match
  const date = text.slice(0, DATE_LENGTH)
  // Date.parse turns 31 April into 1 May: then the day differs. Every month has the first 28 days.
  if (Number(day) > 28 && new Date(date).getUTCDate() !== Number(day)) return undefined
  const ms = fraction.slice(0, 3).padEnd(3, '0')
  const instant = Date.parse(`${date}T${hour}:${minute}:${second}.${ms}${isoOffset(offset)}`)
  return instant < YEAR_ZERO ? undefined : instant
}

/** Date.parse reads only Z and ±hh:mm. */
function isoOffset(offset: string): string {
  if (offset.toUpperCase() === 'Z') return 'Z'
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '').padEnd(2, '0')}`
}
