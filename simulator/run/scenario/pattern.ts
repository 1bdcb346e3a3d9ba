import { z } from 'zod'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import { speakerEvent } from '../headless/lines.ts'
import { issueText } from './issues.ts'

/** A pattern of an event: its name, and the fields that matter. */
export type Pattern = { event: SpeakerEvent['event'] } & Record<string, unknown>

const BY_EVENT = new Map(speakerEvent.options.map((line) => [line.shape.event.value, line.shape]))

/** `announce`, or `{ event: announce, amount: "50000" }`: the fields of a headless line, checked against its schema. */
export const pattern = z.unknown().transform((raw, context): Pattern => {
  const { event, ...fields }: Record<string, unknown> = typeof raw === 'string' ? { event: raw } : Object(raw)
  const shape = [...BY_EVENT].find(([name]) => name === event)
  if (!shape) {
    const names = [...BY_EVENT.keys()].join(', ')
    const wrong = event === undefined ? 'an event is missing' : `there is no event "${String(event)}"`
    context.addIssue(`${wrong}; the events are ${names}`)
    return z.NEVER
  }
  const known: Record<string, z.ZodType> = shape[1]
  for (const [field, value] of Object.entries(fields)) checkField(context, known, field, value)
  return { ...fields, event: shape[0] }
})

/** Whether an event matches a pattern. */
export function matchesEvent(wanted: Pattern, seen: SpeakerEvent): boolean {
  return matches(wanted, seen)
}

/**
 * Whether a value matches: unnamed fields may be anything, lists are compared as a whole, null equals a missing value.
 */
export function matches(wanted: unknown, seen: unknown): boolean {
  if (Array.isArray(wanted)) return JSON.stringify(wanted) === JSON.stringify(seen)
  if (typeof wanted !== 'object' || wanted === null) return (wanted ?? null) === (seen ?? null)
  const there: Record<string, unknown> = Object(seen)
  return Object.entries(wanted).every(([name, value]) => matches(value, there[name]))
}

function checkField(
  context: z.RefinementCtx,
  known: Record<string, z.ZodType>,
  field: string,
  value: unknown,
): void {
  const schema = known[field]
  const path = [field]
  if (!schema) {
    const names = Object.keys(known).join(', ')
    context.addIssue({
      code: 'custom',
      path,
      message: `this event has no field "${field}"; its fields are ${names}`,
    })
    return
  }
  const checked = schema.safeParse(value, { error: issueText })
  if (checked.success) return
  const [{ message } = { message: '' }] = checked.error.issues
  const hint = typeof value === 'number' ? ' (write amounts in quotes)' : ''
  context.addIssue({ code: 'custom', path, message: `${message}${hint}` })
}
