import { parseArgs } from 'node:util'
import { benchCallbacks } from './callbacks.ts'
import { benchEndToEnd } from './end-to-end.ts'
import { benchLatency } from './latency.ts'
import { benchSpeakers } from './speakers.ts'
import { benchStart } from './start.ts'
import { type Figure, printTable } from './table.ts'

const BENCHMARKS: Record<string, () => Promise<Figure[]>> = {
  start: benchStart,
  callbacks: benchCallbacks,
  'end-to-end': benchEndToEnd,
  latency: benchLatency,
  speakers: benchSpeakers,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !(name in BENCHMARKS))
if (unknown.length > 0) {
  process.stderr.write(
    `Usage: npm run bench -- [--json] [NAME ...]\nThere is no ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}.\n`,
  )
  process.exitCode = 2
} else {
  const figures: Figure[] = []
  for (const [name, bench] of Object.entries(BENCHMARKS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    figures.push(...(await bench()))
  }
  // Absolute figures belong to this machine and this moment; the ratios are what lasts.
  if (values.json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  else printTable(figures)
}
