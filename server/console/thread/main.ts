import { enableImportCache } from '../../platform/compile-cache.ts'

/** The program of the thread that makes the console's pages. */
enableImportCache()
const { serve } = await import('./serve.ts')
await serve()
