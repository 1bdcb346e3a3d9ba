import { enableCompileCache, type ResolveFnOutput, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * The folder of the compile cache. It lies in node_modules: a user who can write there can change the code anyway.
 * Node's default, the system's temporary folder, is writable for every user.
 */
const CACHE = new URL('../../node_modules/.cache/soundbox-hub', import.meta.url)

/** Specifiers with which the hub imports Drizzle. */
const DRIZZLE = /^drizzle-orm(\/|$)/

/**
 * Speeds up the imports that follow, which take most of the hub's start time. Call it before any other import.
 *  1. Enables Node's compile cache: stripped and compiled code is reused at the next start. If the folder is not
 *     writable, this has no effect.
 *  2. Resolves the files of Drizzle without reading its package.json again.
 *
 * Why Drizzle: to decide whether a file is a module, Node.js 24 parses the `exports` of its package again for every
 * file. Drizzle has a hundred files and 130 kB of exports, which took half of the start time. Its relative imports name
 * files, and all of them are modules: test/server/platform/compile-cache.test.ts checks this.
 */
export function enableImportCache() {
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
