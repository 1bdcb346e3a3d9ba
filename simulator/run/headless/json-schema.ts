import { z } from 'zod'

/** The JSON Schema of lines. Its objects are open, because fields may be added later. */
export function schemaOfLines(
  lines: z.ZodType,
  title: string,
  properties?: Record<string, object>,
): Record<string, unknown> {
  const { $schema, anyOf, oneOf, $defs } = z.toJSONSchema(lines, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // Omit JavaScript's integer limits, and the type of constants.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.const !== undefined) delete jsonSchema.type
      // `readonly` concerns only the compiler.
      delete jsonSchema.readOnly
      // The format replaces the pattern; names that are added later must not break a reader.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      delete jsonSchema.propertyNames
      // The id only names shared types in $defs.
      delete jsonSchema.id
    },
  })
  return { $schema, title, type: 'object', ...(properties && { properties }), anyOf: anyOf ?? oneOf, $defs }
}
