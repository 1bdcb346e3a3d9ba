import { parentPort, workerData } from 'node:worker_threads'
import { tellFailure } from './report.ts'
import { type Outcome, prepareGround } from './run.ts'
import { shrink } from './shrink.ts'

/** What one worker of main.ts shall do. */
export interface Order {
  first: number
  stride: number
  /** The first seed that is no longer to be run. */
  until: number
  steps: number
  minutes: number | undefined
  only: number[] | undefined
}

export interface Report extends Pick<Outcome, 'seed' | 'steps' | 'counts'> {
  /** For a person; undefined when everything held. */
  failure: string | undefined
}

// main.ts gives it nothing else.
const { first, stride, until, steps, minutes, only } = workerData as Order
const endsAt = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
const options = { steps, ...(only && { only: new Set(only) }) }

/** main.ts says anything at all to have it stop behind the present world. */
let isStopped = false
parentPort?.once('message', () => {
  isStopped = true
})
// To listen shall not keep it from ending.
parentPort?.unref()

const ground = await prepareGround()
try {
  for (let seed = first; seed < until && performance.now() < endsAt && !isStopped; seed += stride) {
    const outcome = await ground.run(seed, options)
    const failure = outcome.failure && tellFailure(await shrink(ground, outcome, options), steps)
    const report: Report = { seed, steps: outcome.steps, counts: outcome.counts, failure }
    parentPort?.postMessage(report)
  }
} finally {
  ground.remove()
}
