import process from 'node:process'
import { TERMINAL } from './cast.ts'

/** Preloaded into the demo: makes its standard output, which is a pipe, a terminal of a fixed size. */
Object.assign(process.stdout, {
  isTTY: true,
  ...{ columns: TERMINAL.width, rows: TERMINAL.height },
  hasColors: () => true,
})
