import { z } from 'zod'
import { type BoxLine, boxLine } from '../../../boxes/core/lines.ts'
import type { SpeakerEvent } from '../../../speaker/device/state/speaker-events.ts'
import { speakerEvent } from '../../headless/lines.ts'
import { among, issueText } from './issues.ts'

/** An event of a speaker of sb/1, or of a box in the box's own words. */
export type HeardEvent = SpeakerEvent | BoxLine

/** A pattern of an event: its name, and the fields that matter. */
export type Pattern = { event: HeardEvent['event'] } & Record<string, unknown>

/** What a speaker is: one of sb/1, or a box of another maker. */
export type SpeakerKind = 'sb1' | 'box'

type Shapes = [Pattern['event'], Record<string, z.ZodType>][]
const SHAPES: Record<SpeakerKind, Shapes> = {
  sb1: speakerEvent.options.map(({ shape }) => [shape.event.value, shape]),
  box: boxLine.options.map(({ shape }) => [shape.event.value, shape]),
}

/**
 * `announce`, or `{ event: announce, amount: "50000" }`: the fields of a headless line of this kind of speaker, checked
 * against its schema.
 */
export function patternOf(kind: SpeakerKind) {
  const names = SHAPES[kind].map(([name]) => name)
  // What the JSON Schema says of a pattern.
  const nameOrFields = z.unknown().meta({
    anyOf: [{ enum: names }, { type: 'object', properties: { event: { enum: names } }, required: ['event'] }],
  })
  return nameOrFields.transform((raw, context): Pattern => {
    const { event, ...fields }: Record<string, unknown> =
      typeof raw === 'string' ? { event: raw } : Object(raw)
    const shape = SHAPES[kind].find(([name]) => name === event)
    if (!shape) {
      const wrong = event === undefined ? 'an event is missing' : `there is no event "${String(event)}"`
      context.addIssue({
        code: 'custom',
        path: typeof raw === 'object' && event !== undefined ? ['event'] : [],
        message: `${wrong}${among(String(event), names, 'the events')}`,
      })
      return z.NEVER
    }
    for (const [field, value] of Object.entries(fields)) checkField(context, shape[1], field, value)
    return { ...fields, event: shape[0] }
  })
}

/** The fields of an event, `event` too; undefined when there is no such event. */
export function eventFields(event: string, kind: SpeakerKind): string[] | undefined {
  const found = SHAPES[kind].find(([name]) => name === event)
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
