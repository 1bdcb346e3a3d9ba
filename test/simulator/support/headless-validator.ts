import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** The schema that is published, as it lies in the repository. */
export const SCHEMA_TEXT = readFileSync(
  new URL('../../../simulator/headless/headless.schema.json', import.meta.url),
  'utf8',
)

/** Says whether a line fits it. */
export function headlessValidator(): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false })
  addFormats.default(ajv)
  return ajv.compile(JSON.parse(SCHEMA_TEXT))
}
