import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../support/structure/sources.ts'

/** A static import of a file of ours. One of types alone is erased, and `import()` loads nothing before it runs. */
const STATIC = /^(?:import|export)(?! type)\b(?:[^'"]*?\bfrom)?\s*'(\.[^']+)'/gm

/** The files that are loaded with one. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  if (!file.endsWith('.ts')) return seen
  for (const [, path = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(STATIC))
    loadedWith(relative(ROOT, join(ROOT, dirname(file), path)), seen)
  return seen
}

it('a hub without boxes loads none of their dialects and profiles', () => {
  const loaded = [...loadedWith('server/hub.ts')]
  expect(loaded).toContain('server/mqtt/gate.ts')
  // What opens their sessions is loaded: it loads the rest when the first one comes.
  expect(loaded).toContain('server/dialects/box-sessions.ts')
  expect(loaded.filter((file) => /^server\/dialects\/(boxes|(?!sb1\/)\w+\/)/.test(file))).toEqual([])
})
