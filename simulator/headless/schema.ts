import { z } from 'zod'
import { headlessLine } from './lines.ts'

/** The JSON Schema of a line. Fields may be added, so it closes no object. */
export function headlessSchema(): object {
  const { $schema, anyOf, $defs } = z.toJSONSchema(headlessLine, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // An integer without a limit of its own has JavaScript's; a constant says its type itself.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.const !== undefined) delete jsonSchema.type
      // A promise to the compiler, and nothing about a line that is written.
      delete jsonSchema.readOnly
      // Only to name what several lines share, in $defs.
      delete jsonSchema.id
    },
  })
  const at = { type: 'string', format: 'date-time', description: 'With --timestamps: when it was, in UTC.' }
  return {
    $schema,
    title: 'A line of the simulated speaker without a screen',
    type: 'object',
    properties: { at },
    anyOf,
    $defs,
  }
}
