import process from 'node:process'
import { conformance } from '../../../protocol/conformance/program.ts'

// protocol/ does not know the simulator, so the kit with its demo starts here.
await conformance(process, Date.now, async () => (await import('./demo.ts')).createDemo())
