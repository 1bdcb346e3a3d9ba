import { enableCompileCache, type ResolveFnOutput, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Where compiled code is kept from one start to the next: beside the packages, so that whoever could plant something in
 * it could change the code as well. The system's folder for temporary files, where Node would keep it, is everybody's.
 */
const CACHE = new URL('../../node_modules/.cache/soundbox-hub', import.meta.url)

/** What others import of it. */
const DRIZZLE = /^drizzle-orm(\/|$)/

/**
 * Makes the imports that follow quick; they make up most of a start. To be called before anything else is imported.
 *  1. Types are stripped and code is compiled once, and kept for the next start. Where nothing can be written this has
 *     no effect.
 *  2. The files of Drizzle are found without looking at its package each time.
 *
 * Why: to tell that a file is a module, Node.js 24 parses the `exports` of its package anew for each file. Drizzle has
 * a hundred files and 130 kB of exports, and that was half of a start. Its own imports name files, and all are modules:
 * held by test/server/platform/compile-cache.test.ts.
 */
export function quickenImports() {
  enableCompileCache(fileURLToPath(CACHE))
  const drizzle = new URL('.', import.meta.resolve('drizzle-orm')).href
  const entries = new Map<string, ResolveFnOutput>()
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL } = context
      if (parentURL?.startsWith(drizzle) && specifier.startsWith('.'))
        return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
      const known = entries.get(specifier)
      if (known) return known
      const found = nextResolve(specifier, context)
      if (DRIZZLE.test(specifier)) entries.set(specifier, { ...found, shortCircuit: true })
      return found
    },
  })
}
