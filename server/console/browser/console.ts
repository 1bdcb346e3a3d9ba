/** What scripts add to the pages of the console, which work without them. */
import { startKeys } from './keys.ts'
import { startLine } from './line.ts'

startKeys()
startLine()
