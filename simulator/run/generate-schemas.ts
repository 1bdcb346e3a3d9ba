import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { toJson } from '../../protocol/generate/messages/json.ts'
import { fleetSchema } from './fleet/report/schema.ts'
import { headlessSchema } from './headless/schema.ts'

/** Regenerates the JSON Schemas of headless lines. Tests fail when the files are out of date. */
const SCHEMAS = [
  { file: './headless/headless.schema.json', schema: headlessSchema() },
  { file: './fleet/headless.schema.json', schema: fleetSchema() },
]
for (const { file, schema } of SCHEMAS)
  writeFileSync(fileURLToPath(new URL(file, import.meta.url)), toJson(schema))
