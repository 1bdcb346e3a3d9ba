// Starts the demo. This file is plain JavaScript, and what it loads is cached: to load the stripping of types takes longer
// than to draw the first screen.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// The folder of the hub. Node's default, the system's temporary folder, is writable for every user.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/soundbox-hub', import.meta.url)))
await import('../simulator/run/demo/main.ts')
