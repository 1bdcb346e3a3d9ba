import { z } from 'zod'
import type { CatalogueEntry } from './catalogue.ts'

/** The JSON Schema keywords of one field. */
export interface FieldSchema {
  type?: string
  const?: unknown
  enum?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: FieldSchema
  default?: unknown
  description?: string
  unit?: string
}

/** The fields of an object, and which of them are required. */
export interface ObjectSchema {
  properties: Record<string, FieldSchema>
  required?: string[]
}

/** Added to the schema of every sealed message: JSON Schema can't express it. */
const SEALED =
  'The payload ends with its MAC: the last 32 bytes are `,"mac":"<22 characters>"}` (sb/1 5.1). Verify it before parsing.'

/** The fields of an object as JSON Schema, with the unit as its own keyword. */
export function fieldsOf(schema: z.ZodObject): ObjectSchema {
  const { properties, required } = convert(schema, () => undefined)
  // The JSON Schema of an object always has properties with the keywords of FieldSchema.
  return { properties: properties as ObjectSchema['properties'], ...(required && { required }) }
}

/** The JSON Schema of a message's payload. It uses only keywords with the same meaning in draft-07 and 2020-12. */
export function payloadSchema({ payload, sealed, name }: CatalogueEntry): Record<string, unknown> {
  const { $schema: _, description, ...rest } = convert(payload, appendUnit)
  const about = [description, ...(sealed ? [SEALED] : [])].join(' ')
  return { title: `sb/1 ${name}`, description: about, ...rest }
}

/** The JSON Schema of a vector file. */
export function fileSchema(schema: z.ZodObject): object {
  return convert(schema, appendUnit)
}

function convert(schema: z.ZodObject, change: (field: z.core.JSONSchema.BaseSchema) => void) {
  return z.toJSONSchema(schema, {
    // Describes the message before defaults are filled in. Unknown fields are allowed because receivers ignore them.
    io: 'input',
    override: ({ jsonSchema }) => {
      // Zod gives an integer without a maximum JavaScript's safe maximum.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      change(jsonSchema)
    },
  })
}

function appendUnit(field: z.core.JSONSchema.BaseSchema) {
  if (typeof field.unit !== 'string') return
  field.description = `${field.description ?? ''} Unit: ${field.unit}.`.trim()
  delete field.unit
}
