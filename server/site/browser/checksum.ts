import { calculator } from './calculator.ts'
import { copyButtons } from './shared/copy.ts'

calculator()
copyButtons()
