import { z } from 'zod'
import { display } from '../../headless/display.ts'
import { snapshotLine } from '../../headless/lines.ts'
import { among, type Issue, issueText } from './issues.ts'

const FIELDS: Record<string, z.core.$ZodType> = snapshotLine.omit({ event: true }).shape

/** The fields of a snapshot. */
export const SNAPSHOT_FIELDS: readonly string[] = Object.keys(FIELDS)

/** Checks that a snapshot can contain what `see` looks for; any field may be omitted, and null stands for none. */
export function snapshotIssues(wanted: Record<string, unknown>, path: string[]): Issue[] {
  return Object.entries(wanted).flatMap(([field, value]) => {
    const place = [...path, field]
    const schema = FIELDS[field]
    if (!schema)
      return [
        {
          path: place,
          message: `a snapshot has no "${field}"${among(field, SNAPSHOT_FIELDS, 'its fields')}`,
        },
      ]
    if (schema !== display || Object.hasOwn(Object(value), 'screen')) return partIssues(schema, value, place)
    const screens = display.options.map(({ shape }) => shape.screen.value)
    return [{ path: place, message: `a display needs a screen: ${screens.join(', ')}` }]
  })
}

function partIssues(given: z.core.$ZodType, value: unknown, path: string[]): Issue[] {
  if (value === null) return []
  const schema =
    given instanceof z.ZodOptional || given instanceof z.ZodExactOptional ? given.unwrap() : given
  if (typeof value !== 'object' || Array.isArray(value)) return valueIssues(schema, value, path)
  if (schema instanceof z.ZodObject) return objectIssues(schema, value, path)
  if (schema instanceof z.ZodDiscriminatedUnion) return unionIssues(schema, value, path)
  return valueIssues(schema, value, path)
}

function valueIssues(schema: z.core.$ZodType, value: unknown, path: string[]): Issue[] {
  const { error } = z.safeParse(schema, value, { error: issueText })
  return (error?.issues ?? []).map(({ message }) => ({ path, message }))
}

function objectIssues({ shape }: z.ZodObject, value: object, path: string[]): Issue[] {
  return Object.entries(value).flatMap(([name, one]) => {
    const place = [...path, name]
    const field = shape[name]
    if (field) return partIssues(field, one, place)
    return [{ path: place, message: `unknown field${among(name, Object.keys(shape), 'the fields')}` }]
  })
}

/** A screen, or a sound. */
function unionIssues(schema: z.ZodDiscriminatedUnion, value: object, path: string[]): Issue[] {
  const by = schema.def.discriminator
  const kind: unknown = Reflect.get(value, by)
  const options = schema.options.flatMap((option) => (option instanceof z.ZodObject ? [option] : []))
  const named = options.find(({ shape }) => z.safeParse(shape[by], kind).success)
  // Without its kind it may be any.
  if (named || kind === undefined) return named ? objectIssues(named, value, path) : []
  const kinds = options.flatMap(({ shape: { [by]: one } }) =>
    one instanceof z.ZodLiteral ? [String(one.value)] : [],
  )
  return [
    {
      path: [...path, by],
      message: `there is no ${by} "${String(kind)}"${among(String(kind), kinds, `the ${by}s`)}`,
    },
  ]
}
