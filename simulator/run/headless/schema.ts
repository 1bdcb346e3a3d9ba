import { schemaOfLines } from './json-schema.ts'
import { headlessLine } from './lines.ts'

/** The JSON Schema of a line of one speaker. */
export function headlessSchema(): object {
  const at = { type: 'string', format: 'date-time', description: 'With --timestamps: when it was, in UTC.' }
  const speaker = {
    type: 'string',
    description: 'With --scenario and several speakers: the name of this one.',
  }
  return schemaOfLines(headlessLine, 'A line of the simulated speaker without a screen', { at, speaker })
}
