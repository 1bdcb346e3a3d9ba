import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedFiles } from './files.ts'

/** Writes the generated files of protocol/. A test fails if a file differs from what this script writes. */
const fileOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

for (const [path, content] of generatedFiles(readFileSync(fileOf('README.md'), 'utf8'))) {
  mkdirSync(dirname(fileOf(path)), { recursive: true })
  writeFileSync(fileOf(path), content)
}
