import { schemaOfLines } from '../../headless/json-schema.ts'
import { fleetLine } from './lines.ts'

/** The JSON Schema of a line of a fleet. */
export function fleetSchema(): object {
  return schemaOfLines(fleetLine, 'A line of a fleet of simulated speakers without a screen')
}
