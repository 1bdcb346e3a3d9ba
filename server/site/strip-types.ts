import { readFile } from 'node:fs/promises'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'

/** The scripts that pages load; their imports are found by following them. */
const ENTRIES = ['quickstart.ts', 'checksum.ts', 'webhooks.ts', 'reference.ts']
const SOURCES = fileURLToPath(new URL('browser', import.meta.url))
/** The only package that they import; its files import each other by relative paths. */
const NOBLE = '@noble/hashes/'
const NOBLE_FOLDER = dirname(createRequire(import.meta.url).resolve('@noble/hashes/sha2.js'))

/** A static import or re-export at the start of a line; groups: the text before the name, the name. */
const IMPORT = /^((?:import|export)\b[^'"]*?\bfrom\s*)['"]([^'"]+)['"]/gm

/** The path of an imported module. */
function resolve(name: string, importer: string): string {
  if (name.startsWith('.')) return join(dirname(importer), name)
  if (name.startsWith(NOBLE)) return join(NOBLE_FOLDER, name.slice(NOBLE.length))
  throw new Error(`${importer} imports ${name}, which the documentation does not serve`)
}

/** The name under which a module is served; all modules share one folder. */
function servedName(path: string): string {
  const prefix = dirname(path) === NOBLE_FOLDER ? 'noble-' : ''
  return prefix + basename(path).replace(/\.ts$/, '.js')
}

/** Every module of the pages as JavaScript, by its served name. */
async function browserModules(): Promise<Map<string, string>> {
  const modules = new Map<string, string>()
  const paths = ENTRIES.map((entry) => join(SOURCES, entry))
  // The loop adds to the list that it iterates.
  for (const path of paths) {
    const source = await readFile(path, 'utf8')
    const script = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source
    const imports = (_: string, before: string, name: string) => {
      const imported = resolve(name, path)
      if (!paths.includes(imported)) paths.push(imported)
      return `${before}'./${servedName(imported)}'`
    }
    if (modules.has(servedName(path))) throw new Error(`two scripts have the name ${servedName(path)}`)
    modules.set(servedName(path), script.replace(IMPORT, imports))
  }
  return modules
}

parentPort?.postMessage(await browserModules())
