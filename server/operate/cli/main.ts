import { quickenImports } from '../../platform/compile-cache.ts'

quickenImports()
const { run } = await import('./program.ts')
await run()
