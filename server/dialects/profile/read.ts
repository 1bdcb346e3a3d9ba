import { z } from 'zod'
import { textOf } from '#platform'
import type { PublishedPacket } from '../../delivery/dialect.ts'

/** Bytes. The longest message of a box that anybody has seen is below 1 kB. */
const MAX_PAYLOAD = 8_192

const object = z.record(z.string(), z.unknown())

/** The JSON object that a box has published. Undefined for anything else. */
export function readObject({
  payload,
}: Pick<PublishedPacket, 'payload'>): Record<string, unknown> | undefined {
  if (payload.length > MAX_PAYLOAD) return undefined
  try {
    return objectOf(JSON.parse(typeof payload === 'string' ? payload : textOf(payload)))
  } catch {
    return undefined
  }
}

export function objectOf(value: unknown): Record<string, unknown> | undefined {
  const parsed = object.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** A text or whole number of at most 64 printable ASCII characters, as a text. */
export function shortText(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  return typeof text === 'string' && /^[ -~]{1,64}$/.test(text) ? text : undefined
}

/** A number, or a text that is one. */
export function finiteNumber(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^-?[0-9]{1,15}(\.[0-9]{1,6})?$/.test(value)
  const number = isText ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** A charge in percent. */
export function percent(value: unknown): number | undefined {
  const number = finiteNumber(value)
  return number !== undefined && number >= 0 && number <= 100 ? Math.round(number) : undefined
}

/** A strength in dBm. Other units are above or below what a radio has. */
export function dBm(value: unknown): number | undefined {
  const number = finiteNumber(value)
  return number !== undefined && number >= -150 && number < 0 ? Math.round(number) : undefined
}
