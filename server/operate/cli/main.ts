import { enableImportCache } from '../../platform/compile-cache.ts'

enableImportCache()
const { run } = await import('./program.ts')
await run()
