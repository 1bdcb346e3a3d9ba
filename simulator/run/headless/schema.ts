import { schemaOfLines } from './json-schema.ts'
import { headlessLine } from './lines.ts'

/** The JSON Schema of a line of one speaker. */
export function headlessSchema(): object {
  const at = { type: 'string', format: 'date-time', description: 'With --timestamps: when it was, in UTC.' }
  return schemaOfLines(headlessLine, 'A line of the simulated speaker without a screen', { at })
}
