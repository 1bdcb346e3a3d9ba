import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { toJson } from '../../protocol/generate/messages/json.ts'
import { fillVoices } from '../sound/generate/voice-tables.ts'
import { fleetSchema } from './fleet/report/schema.ts'
import { boxLineSchema } from './headless/box-schema.ts'
import { headlessSchema } from './headless/schema.ts'
import { scenarioSchema } from './scenario/file/json-schema.ts'

/**
 * Regenerates the JSON Schemas of headless lines and of scenarios, and the tables of clips in docs/voices.md. Tests fail
 * when they are out of date.
 */
const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const SCHEMAS = [
  { file: './headless/headless.schema.json', schema: headlessSchema() },
  { file: '../boxes/headless.schema.json', schema: boxLineSchema() },
  { file: './fleet/headless.schema.json', schema: fleetSchema() },
  { file: '../scenarios/scenario.schema.json', schema: scenarioSchema() },
]
for (const { file, schema } of SCHEMAS) writeFileSync(fileOf(file), toJson(schema))

const VOICES = fileOf('../../docs/voices.md')
writeFileSync(VOICES, fillVoices(readFileSync(VOICES, 'utf8')))
