import { quickenImports } from '../quick-imports.ts'

quickenImports()
const { run } = await import('./program.ts')
await run()
