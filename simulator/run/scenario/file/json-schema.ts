import { z } from 'zod'
import { scenarioFile } from './schema.ts'
import { ALL_STEPS } from './steps.ts'
import { forBlock, repeatBlock } from './unroll.ts'

type Json = z.core.JSONSchema.JSONSchema

const STEP = { $ref: '#/$defs/step' }
const VARIABLE = { $ref: '#/$defs/variable' }

/**
 * The JSON Schema of a scenario file, with which editors complete words and mark mistakes. The program checks more:
 * names, and what a variable becomes.
 */
export function scenarioSchema(): object {
  const { $schema, properties = {}, ...file } = jsonOf(scenarioFile)
  const steps = [...ALL_STEPS, repeatBlock, forBlock].map(stepOf)
  return {
    ...{ $schema, title: 'A scenario of simulated speakers', ...file },
    properties: { ...properties, steps: { ...Object(properties.steps), items: STEP } },
    $defs: { variable: { type: 'string', pattern: '\\$\\{' }, step: { anyOf: steps } },
  }
}

/** Any field of a step may be a variable. */
function stepOf(schema: z.ZodType): Json {
  const { $schema: _, properties = {}, ...step } = jsonOf(schema)
  const fields = Object.entries(properties).map(([name, field]) => {
    if (name === 'steps') return [name, { ...Object(field), items: STEP }]
    const several = name === 'on' ? [{ type: 'array', items: field }] : []
    return [name, { anyOf: [field, ...several, VARIABLE] }]
  })
  return { ...step, properties: Object.fromEntries(fields) }
}

function jsonOf(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, { io: 'input' })
}
