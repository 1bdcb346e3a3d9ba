import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { profileJsonSchema } from '../boxes.ts'
import { generatedFiles } from './files.ts'

/** Writes the generated files of server/dialects. A test fails if a file differs from what this script writes. */
for (const [path, content] of generatedFiles(profileJsonSchema()))
  writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), content)
