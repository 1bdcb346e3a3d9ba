import { deliveryChecker } from './delivery/checker.ts'
import { copyButtons } from './shared/copy.ts'

deliveryChecker()
copyButtons()
