import { testProcessors } from './processors.ts'

testProcessors(['py', 'php'])
