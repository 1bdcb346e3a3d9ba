import { benchCallbacks } from './callbacks.ts'
import { benchEndToEnd } from './end-to-end.ts'
import { benchStart } from './start.ts'
import { printTable } from './table.ts'

// Absolute figures belong to this machine and this moment; the ratios are what lasts.
printTable([await benchStart(), ...(await benchCallbacks()), ...(await benchEndToEnd())])
