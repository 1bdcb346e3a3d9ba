import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { benchBoxes } from './boxes.ts'
import { benchCallbacks } from './callbacks.ts'
import { benchCluster } from './cluster/cluster.ts'
import { benchConsole, STORAGES } from './console/console.ts'
import { benchCost } from './cost.ts'
import { benchEndToEnd } from './end-to-end.ts'
import { benchGrowth } from './growth/growth.ts'
import { benchLatency } from './latency.ts'
import { disturbances, fileSystemInMemory, readProcessors } from './parts/machine.ts'
import { type Figure, printTable } from './parts/table.ts'
import { benchPeers } from './peers/peers.ts'
import { benchRates } from './rates/rates.ts'
import { benchSize } from './size/size.ts'
import { benchSpeakers } from './speakers.ts'
import { benchStart } from './start.ts'
import { benchViewers } from './viewers/viewers.ts'
import { benchWebhook } from './webhook.ts'

const BENCHMARKS: Record<string, () => Promise<Figure[]>> = {
  start: benchStart,
  callbacks: benchCallbacks,
  cost: benchCost,
  'end-to-end': benchEndToEnd,
  latency: benchLatency,
  speakers: benchSpeakers,
  webhook: benchWebhook,
  boxes: benchBoxes,
  million: benchGrowth,
  peers: benchPeers,
  cluster: benchCluster,
  rates: benchRates,
  size: benchSize,
  console: () => benchConsole(STORAGES.filter((name) => (values.storage ?? name) === name)),
  viewers: benchViewers,
}
/** The others take minutes each, so they run only by name. */
const USUAL = ['start', 'callbacks', 'cost', 'end-to-end', 'latency', 'speakers', 'webhook']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, storage: { type: 'string' } },
})
const unknown = [
  ...positionals.filter((name) => !(name in BENCHMARKS)),
  ...[values.storage ?? STORAGES[0]].filter((name) => !STORAGES.some((one) => one === name)),
]
const inMemory = fileSystemInMemory(tmpdir())
if (unknown.length > 0) {
  refuse(
    `Usage: npm run bench -- [--json] [--storage ${STORAGES.join('|')}] [NAME ...]\nUnknown: ${unknown.join(', ')}. Available: ${Object.keys(BENCHMARKS).join(', ')}.`,
  )
} else if (inMemory !== undefined) {
  refuse(
    `The data folders would be in ${tmpdir()}, which is in memory (${inMemory}), where a flush costs nothing: set TMPDIR to a folder on a disk.`,
  )
} else {
  await run(positionals.length > 0 ? positionals : USUAL)
}

function refuse(sentence: string) {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 2
}

async function run(wanted: readonly string[]) {
  const before = readProcessors()
  const figures: Figure[] = []
  for (const [name, bench] of Object.entries(BENCHMARKS))
    if (wanted.includes(name)) figures.push(...(await bench()))
  const after = readProcessors()
  const disturbed = before && after && disturbances(before, after)
  if (disturbed) figures.push(...disturbed.figures)
  // Absolute figures depend on this machine and this moment. Ratios are comparable.
  if (values.json) process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  else printTable(figures)
  if (disturbed?.warning) process.stderr.write(disturbed.warning)
}
