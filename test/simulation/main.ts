import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { STEPS } from './run.ts'
import type { Order, Report } from './worker.ts'

/**
 * `npm run simulate -- [--seeds N] [--from SEED] [--steps M] [--minutes T] [--only 3,7] [--workers N]`: worlds one
 * after another, on every core. Without --seeds and --minutes a thousand; with --minutes until the time is over.
 * Exit 0 all held, 1 something broke.
 */

const TELL_EVERY_MS = 10_000

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string', default: String(STEPS) },
    minutes: { type: 'string' },
    only: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
})
const from = Number(values.from)
const endless = values.seeds === undefined && values.minutes !== undefined
const seeds = endless ? Number.POSITIVE_INFINITY : Number(values.seeds ?? 1_000)
const workers = Math.min(Number(values.workers), seeds)
const say = (line: string) => process.stdout.write(`${line}\n`)

const startedAt = performance.now()
const total = { seeds: 0, steps: 0, failures: 0, counts: new Map<string, number>() }
const elapsedS = () => (performance.now() - startedAt) / 1000

function take({ steps, counts, failure }: Report) {
  total.seeds += 1
  total.steps += steps
  for (const [what, times] of counts) total.counts.set(what, (total.counts.get(what) ?? 0) + times)
  if (failure === undefined) return
  total.failures += 1
  say(failure)
}

function tell() {
  const { seeds: done, steps, failures } = total
  const speed = `${(done / elapsedS()).toFixed(1)} seeds and ${Math.round(steps / elapsedS())} steps a second`
  say(`${done} seeds, ${steps} steps in ${Math.round(elapsedS())} s (${speed}), ${failures} failed`)
}

/** Every worker takes each `workers`-th seed. */
function work(first: number): Promise<void> {
  const order: Order = {
    first,
    stride: workers,
    until: from + seeds,
    steps: Number(values.steps),
    minutes: values.minutes === undefined ? undefined : Number(values.minutes),
    only: values.only === undefined ? undefined : values.only.split(',').map(Number),
  }
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: order })
    worker.on('message', take)
    worker.on('error', reject)
    worker.on('exit', () => resolve())
    // Interrupted, it ends its world and tidies up.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => worker.postMessage('stop'))
  })
}

const telling = setInterval(tell, TELL_EVERY_MS)
try {
  await Promise.all(Array.from({ length: workers }, (_, index) => work(from + index)))
} finally {
  clearInterval(telling)
}
for (const [what, times] of [...total.counts].sort(([a], [b]) => a.localeCompare(b)))
  say(`  ${what}: ${times}`)
tell()
process.exitCode = total.failures === 0 ? 0 : 1
