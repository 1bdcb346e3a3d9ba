import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** The published schema. */
export const SCHEMA_TEXT = readFileSync(
  new URL('../../../simulator/run/headless/headless.schema.json', import.meta.url),
  'utf8',
)

/** The published schema of a fleet's lines. */
export const FLEET_SCHEMA_TEXT = readFileSync(
  new URL('../../../simulator/run/fleet/headless.schema.json', import.meta.url),
  'utf8',
)

/** The published schema of a box's lines. */
export const BOX_SCHEMA_TEXT = readFileSync(
  new URL('../../../simulator/boxes/headless.schema.json', import.meta.url),
  'utf8',
)

/** By the text of the schema: to compile one takes longer than most tests. */
const validators = new Map<string, ValidateFunction>()

/** Whether a line matches the schema. */
export function headlessValidator(schemaText = SCHEMA_TEXT): ValidateFunction {
  const validator = validators.get(schemaText) ?? compile(schemaText)
  validators.set(schemaText, validator)
  return validator
}

function compile(schemaText: string): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false })
  addFormats.default(ajv)
  return ajv.compile(JSON.parse(schemaText))
}
