/** Statuses with which an endpoint may ask to be left alone for a while. */
const ASKING = [429, 502, 503, 504]
const MOST_MS = 24 * 3_600_000

/**
 * How long a reply asks to be left alone, at most 24 h. Its header Retry-After has seconds or a date (RFC 9110, 10.2.3).
 * Undefined when it does not ask.
 */
export function retryAfterMs(status: number, header: string | undefined, now: number): number | undefined {
  if (header === undefined || !ASKING.includes(status)) return undefined
  const ms = /^\d+$/.test(header)
    ? 1_000 * Number(header)
    : /^[A-Z]/i.test(header)
      ? Date.parse(header) - now
      : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.min(MOST_MS, Math.max(0, ms))
}
