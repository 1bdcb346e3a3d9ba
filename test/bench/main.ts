import { benchCallbacks } from './callbacks.ts'
import { benchEndToEnd } from './end-to-end.ts'
import { benchGrowth } from './growth.ts'
import { benchStart } from './start.ts'
import { printTable } from './table.ts'

// Filling a file with a million payments takes minutes, so that is asked for by name.
const growth = process.argv.includes('--million') ? await benchGrowth() : []

// Absolute figures belong to this machine and this moment; the ratios are what lasts.
printTable([await benchStart(), ...(await benchCallbacks()), ...(await benchEndToEnd()), ...growth])
