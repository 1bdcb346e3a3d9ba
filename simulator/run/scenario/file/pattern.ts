import { z } from 'zod'
import type { SpeakerEvent } from '../../../speaker/device/state/speaker-events.ts'
import { speakerEvent } from '../../headless/lines.ts'
import { among, issueText } from './issues.ts'

/** A pattern of an event: its name, and the fields that matter. */
export type Pattern = { event: SpeakerEvent['event'] } & Record<string, unknown>

const BY_EVENT = new Map(speakerEvent.options.map((line) => [line.shape.event.value, line.shape]))
const NAMES = [...BY_EVENT.keys()]

/** What the JSON Schema says of a pattern. */
const nameOrFields = z.unknown().meta({
  anyOf: [{ enum: NAMES }, { type: 'object', properties: { event: { enum: NAMES } }, required: ['event'] }],
})

/** `announce`, or `{ event: announce, amount: "50000" }`: the fields of a headless line, checked against its schema. */
export const pattern = nameOrFields.transform((raw, context): Pattern => {
  const { event, ...fields }: Record<string, unknown> = typeof raw === 'string' ? { event: raw } : Object(raw)
  const shape = [...BY_EVENT].find(([name]) => name === event)
  if (!shape) {
    const wrong = event === undefined ? 'an event is missing' : `there is no event "${String(event)}"`
    context.addIssue({
      code: 'custom',
      path: typeof raw === 'object' && event !== undefined ? ['event'] : [],
      message: `${wrong}${among(String(event), NAMES, 'the events')}`,
    })
    return z.NEVER
  }
  for (const [field, value] of Object.entries(fields)) checkField(context, shape[1], field, value)
  return { ...fields, event: shape[0] }
})

/** The fields of an event, `event` too; undefined when there is no such event. */
export function eventFields(event: string): string[] | undefined {
  const found = [...BY_EVENT].find(([name]) => name === event)
  return found && Object.keys(found[1])
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
    const fields = among(field, Object.keys(known), 'its fields')
    context.addIssue({ code: 'custom', path, message: `this event has no field "${field}"${fields}` })
    return
  }
  const checked = schema.safeParse(value, { error: issueText })
  if (checked.success) return
  const [{ message } = { message: '' }] = checked.error.issues
  const hint = typeof value === 'number' ? ' (write amounts in quotes)' : ''
  context.addIssue({ code: 'custom', path, message: `${message}${hint}` })
}
