import { z } from 'zod'
import type { CatalogueEntry } from './catalogue.ts'

/** A field as a reader needs it. */
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

/** An object's fields, with what is required of them. */
export interface ObjectSchema {
  properties: Record<string, FieldSchema>
  required?: string[]
}

/** What JSON Schema can't say, said in words in every schema of a sealed message. */
const SEALED =
  'The payload ends in its mac: the last 32 bytes are `,"mac":"<22 characters>"}` (sb/1 5.1). It is verified before it is parsed.'

/** The fields of an object as JSON Schema, the unit of each as a keyword of its own. */
export function fieldsOf(schema: z.ZodObject): ObjectSchema {
  const { properties, required } = convert(schema, () => undefined)
  // What an object schema gives has properties, of the keywords named above.
  return { properties: properties as ObjectSchema['properties'], ...(required && { required }) }
}

/** The JSON Schema of a message's payload. Every keyword means the same in draft-07 and in 2020-12. */
export function payloadSchema({ payload, sealed, name }: CatalogueEntry): Record<string, unknown> {
  const { $schema: _, description, ...rest } = convert(payload, sayUnit)
  const about = [description, ...(sealed ? [SEALED] : [])].join(' ')
  return { title: `sb/1 ${name}`, description: about, ...rest }
}

/** The JSON Schema of a file of vectors. */
export function fileSchema(schema: z.ZodObject): object {
  return convert(schema, sayUnit)
}

function convert(schema: z.ZodObject, change: (field: z.core.JSONSchema.BaseSchema) => void) {
  return z.toJSONSchema(schema, {
    // What is sent, before defaults are filled in; unknown fields are ignored, so they are allowed.
    io: 'input',
    override: ({ jsonSchema }) => {
      // An integer without a limit of its own has JavaScript's.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      change(jsonSchema)
    },
  })
}

function sayUnit(field: z.core.JSONSchema.BaseSchema) {
  if (typeof field.unit !== 'string') return
  field.description = `${field.description ?? ''} Unit: ${field.unit}.`.trim()
  delete field.unit
}
