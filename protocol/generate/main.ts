import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedFiles } from './files.ts'

/** Writes the generated files of the folder anew. A test fails when they are not what this would write. */
const fileOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

for (const [path, content] of generatedFiles(readFileSync(fileOf('README.md'), 'utf8'))) {
  mkdirSync(dirname(fileOf(path)), { recursive: true })
  writeFileSync(fileOf(path), content)
}
