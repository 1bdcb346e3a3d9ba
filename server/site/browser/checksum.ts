import { calculator } from './calculator.ts'
import { copyButtons } from './copy.ts'

calculator()
copyButtons()
