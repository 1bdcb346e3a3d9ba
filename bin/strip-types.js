// Strips the types of the package's own files. Node.js 24 does that by itself, but not below node_modules.
// Why not tsx: it keeps what it has stripped in the system's temporary folder, where every user may write.
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'

const PACKAGE = new URL('..', import.meta.url).href

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith(PACKAGE) || !url.endsWith('.ts')) return nextLoad(url, context)
    const source = stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'))
    return { format: 'module', source, shortCircuit: true }
  },
})
