import { z } from 'zod'

/** The JSON Schema of lines. Fields may be added, so it closes no object. */
export function schemaOfLines(
  lines: z.ZodType,
  title: string,
  properties?: Record<string, object>,
): Record<string, unknown> {
  const { $schema, anyOf, oneOf, $defs } = z.toJSONSchema(lines, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // An integer without a limit of its own has JavaScript's; a constant says its type itself.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.const !== undefined) delete jsonSchema.type
      // A promise to the compiler, and nothing about a line that is written.
      delete jsonSchema.readOnly
      // The format says it shorter, and names that are added later must not break a reader.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      delete jsonSchema.propertyNames
      // Only to name what several lines share, in $defs.
      delete jsonSchema.id
    },
  })
  return { $schema, title, type: 'object', ...(properties && { properties }), anyOf: anyOf ?? oneOf, $defs }
}
