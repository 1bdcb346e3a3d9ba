import { catalogue } from './catalogue.ts'
import { toJson } from './json.ts'
import { payloadSchema } from './json-schema.ts'

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

/** The JSON Schema files of all messages, by their path relative to protocol/. */
export function schemaFiles(): (readonly [path: string, content: string])[] {
  return catalogue().map((entry) => [
    `schemas/${entry.name}.schema.json`,
    toJson({ $schema: DRAFT, ...payloadSchema(entry) }),
  ])
}
