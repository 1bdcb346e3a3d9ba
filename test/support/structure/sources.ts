import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export interface SourceFile {
  /** From the root, with forward slashes. */
  path: string
  text: string
  /** Our files by their path from the root, packages by their name. */
  imports: string[]
}

const PACKAGE: { imports: Record<string, Record<string, string>> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
)
/** The files behind each name in the `imports` of package.json. */
export const SEAMS = new Map(
  Object.entries(PACKAGE.imports).map(([name, files]) => [name, Object.values(files).map(normalize)]),
)

/** Static and dynamic imports, and the files that worker threads run. */
const IMPORT =
  /(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)(['"])([^'"\n]+)\1|\bnew Worker\(\s*new URL\(\s*'([^'\n]+)'/g

export function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, , imported, worker]) => {
    const name = imported ?? `./${worker}`
    return name.startsWith('.') ? normalize(join(dirname(path), name)).replaceAll('\\', '/') : name
  })
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

/** All TypeScript files of some folders, without their comments. */
export function readSources(folders: readonly string[]): SourceFile[] {
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.{ts,tsx}`),
    { cwd: ROOT, exclude: ['**/node_modules/**'] },
  )
  return files.map((found) => {
    const path = found.replaceAll('\\', '/')
    const text = withoutComments(readFileSync(join(ROOT, found), 'utf8'))
    return { path, text, imports: importsOf(path, text) }
  })
}
