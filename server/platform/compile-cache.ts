import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * The folder of the compile cache. It lies in node_modules: a user who can write there can change the code anyway.
 * Node's default, the system's temporary folder, is writable for every user.
 */
const CACHE = new URL('../../node_modules/.cache/soundbox-hub', import.meta.url)

/**
 * Speeds up the imports that follow, which take most of the hub's start time. Call it before any other import.
 * Stripped and compiled code is reused at the next start. If the folder is not writable, this has no effect.
 */
export function enableImportCache() {
  enableCompileCache(fileURLToPath(CACHE))
}
