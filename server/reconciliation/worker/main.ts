import { enableImportCache } from '../../platform/compile-cache.ts'

enableImportCache()
const { serve } = await import('./serve.ts')
serve()
