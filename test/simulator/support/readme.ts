import { readFileSync } from 'node:fs'

/** The README of a folder of the repository. */
export function readmeOf(folder: string): string {
  return readFileSync(new URL(`../../../${folder}/README.md`, import.meta.url), 'utf8')
}
