import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { toJson } from '../../protocol/generate/json.ts'
import { headlessSchema } from './schema.ts'

/** Writes the schema beside this file anew. A test fails when it is not what this would write. */
writeFileSync(fileURLToPath(new URL('headless.schema.json', import.meta.url)), toJson(headlessSchema()))
