import process from 'node:process'
import { conformance } from './program.ts'

await conformance(process, Date.now)
