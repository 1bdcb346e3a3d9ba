import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { z } from 'zod'

const DRIZZLE = fileURLToPath(new URL('../../../node_modules/drizzle-orm', import.meta.url))
const RELATIVE = /\b(?:from|import)\s*\(?\s*["'](\.[^"']*)["']/g

it('every relative import inside Drizzle names a file of the package, and every file is a module', () => {
  const manifests = globSync('**/package.json', { cwd: DRIZZLE })
  expect(manifests).toEqual(['package.json'])
  const manifest: unknown = JSON.parse(readFileSync(join(DRIZZLE, 'package.json'), 'utf8'))
  expect(z.object({ type: z.string() }).parse(manifest).type).toBe('module')

  const files = new Set(globSync('**/*.js', { cwd: DRIZZLE }))
  const imported = [...files].flatMap((file) =>
    [...readFileSync(join(DRIZZLE, file), 'utf8').matchAll(RELATIVE)].map(([, name]) =>
      normalize(join(dirname(file), name ?? '')),
    ),
  )
  expect(imported.length).toBeGreaterThan(1_000)
  expect(imported.filter((file) => !files.has(file))).toEqual([])
})
