import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { toJson } from '../../protocol/generate/json.ts'
import { fleetSchema } from './fleet/report/schema.ts'
import { headlessSchema } from './headless/schema.ts'

/** Writes the schemas of what is printed without a screen anew. Tests fail when they are not what this would write. */
const SCHEMAS = [
  { file: './headless/headless.schema.json', schema: headlessSchema() },
  { file: './fleet/headless.schema.json', schema: fleetSchema() },
]
for (const { file, schema } of SCHEMAS)
  writeFileSync(fileURLToPath(new URL(file, import.meta.url)), toJson(schema))
