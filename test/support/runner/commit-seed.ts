import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'

/** What the product is made of. Other files change nothing about what a seed shows. */
const SOURCES = ['protocol/**/*.ts', 'server/**/*.{ts,sql}', 'simulator/**/*.{ts,tsx}']

/** The same number for the same commit, and another one for the next: each commit tries other cases. */
export function commitSeed(root: string): number {
  return Number.parseInt((commitOf(root) ?? hashOfSources(root)).slice(0, 7), 16)
}

function commitOf(root: string): string | undefined {
  try {
    const head = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return head.toString()
  } catch {
    return undefined
  }
}

/** For a copy of the files without their history. */
function hashOfSources(root: string): string {
  const hash = createHash('sha256')
  for (const path of fs.globSync(SOURCES, { cwd: root }).sort())
    hash.update(fs.readFileSync(join(root, path)))
  return hash.digest('hex')
}
