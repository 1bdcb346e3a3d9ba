import { z } from 'zod'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import { speakerEvent } from '../headless/lines.ts'
import { issueText } from './issues.ts'

/** What a happening must look like: its `event`, and the fields that matter. */
export type Pattern = { event: SpeakerEvent['event'] } & Record<string, unknown>

const BY_EVENT = new Map(speakerEvent.options.map((line) => [line.shape.event.value, line.shape]))

/** `announce`, or `{ event: announce, amount: "50000" }`: as a headless line has it, checked for what can be in one. */
export const pattern = z.unknown().transform((raw, context): Pattern => {
  const { event, ...fields }: Record<string, unknown> = typeof raw === 'string' ? { event: raw } : Object(raw)
  const shape = [...BY_EVENT].find(([name]) => name === event)
  if (!shape) {
    const names = [...BY_EVENT.keys()].join(', ')
    const wrong = event === undefined ? 'an event is missing' : `there is no event "${String(event)}"`
    context.addIssue(`${wrong}; there are ${names}`)
    return z.NEVER
  }
  const known: Record<string, z.ZodType> = shape[1]
  for (const [field, value] of Object.entries(fields)) checkField(context, known, field, value)
  return { ...fields, event: shape[0] }
})

/** Whether everything that the pattern says matches of the event. */
export function matchesEvent(wanted: Pattern, seen: SpeakerEvent): boolean {
  return matches(wanted, seen)
}

/** Whether what is wanted is there; what is not named may be anything, a list is compared as a whole, null is nothing. */
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
    context.addIssue({ code: 'custom', path, message: `this event has no field "${field}", but ${names}` })
    return
  }
  const checked = schema.safeParse(value, { error: issueText })
  if (checked.success) return
  const [{ message } = { message: '' }] = checked.error.issues
  const hint = typeof value === 'number' ? ' (write amounts in quotes)' : ''
  context.addIssue({ code: 'custom', path, message: `${message}${hint}` })
}
