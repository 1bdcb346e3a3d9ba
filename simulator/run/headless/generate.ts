import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { toJson } from '../../../protocol/generate/messages/json.ts'
import { fleetSchema } from '../fleet/schema.ts'
import { headlessSchema } from './schema.ts'

/** Writes the schemas of what is printed without a screen anew. Tests fail when they are not what this would write. */
const SCHEMAS = [
  { file: './headless.schema.json', schema: headlessSchema() },
  { file: '../fleet/headless.schema.json', schema: fleetSchema() },
]
for (const { file, schema } of SCHEMAS)
  writeFileSync(fileURLToPath(new URL(file, import.meta.url)), toJson(schema))
