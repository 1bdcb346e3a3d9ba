import { testProcessors } from '../../whole/journeys/processors.ts'

// Those in Python and PHP are run by the gate.
testProcessors(['mjs', 'mts'])
