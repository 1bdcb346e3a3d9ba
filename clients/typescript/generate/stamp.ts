import { createHash } from 'node:crypto'
import type { Description } from './description.ts'
import { operationsText } from './operations-text.ts'
import { typesInput } from './types-input.ts'

/** Changes when another description would give other files. */
export function fingerprintOf(description: Description): string {
  const input = JSON.stringify(typesInput(description)) + operationsText(description)
  return createHash('sha256').update(input).digest('hex')
}

/** The first line of a generated file. */
export const stamp = (fingerprint: string) =>
  `// Made of the OpenAPI document by \`npm run generate\`. Fingerprint: ${fingerprint}\n`
