import fc from 'fast-check'
import { createTestApi } from '../../../support/api.ts'
import { createValidators } from '../../../support/http/answer-check.ts'
import { readDescription } from '../../../support/http/openapi.ts'
import { createPerformer } from './perform.ts'
import { life } from './plan.ts'
import { createWorld } from './world.ts'

/** Steps in one world. A world grows as it is used, and takes as long to make as some of them. */
const STEPS = 500

export interface FuzzReport {
  seed: number
  requests: number
  /** How often each status came, and each error code. */
  answers: Map<string, number>
  /** What went wrong, with the seed and the path that do it again. */
  failure: string | undefined
}

/** Sends at least so many requests, world after world, until an answer is not as it must be. */
export async function fuzz(options: {
  requests: number
  seed?: number
  /** Of a failure: goes straight to its world. */
  path?: string
  onProgress?: (report: FuzzReport) => void
}): Promise<FuzzReport> {
  const { requests, seed = Math.floor(Math.random() * 2 ** 31), path, onProgress } = options
  const report: FuzzReport = { seed, requests: 0, answers: new Map(), failure: undefined }
  const description = readDescription(await descriptionText())
  const validate = createValidators()

  const property = fc.asyncProperty(life(description, STEPS), async (steps) => {
    if (report.requests >= requests) return
    const world = await createWorld()
    const { perform } = createPerformer(world, { description, validate }, ({ status, body }) => {
      const code = status < 400 ? '' : ` ${Object(body).code ?? 'HEAD'}`
      report.requests += 1
      report.answers.set(`${status}${code}`, (report.answers.get(`${status}${code}`) ?? 0) + 1)
    })
    try {
      for (const step of steps) await perform(step)
    } finally {
      await world.close()
    }
    onProgress?.(report)
  })
  // Nothing is made smaller: the failing request is in the message, and the path leads back to its world.
  const run = await fc.check(property, {
    ...{ seed, endOnFailure: true, numRuns: Math.ceil((requests / STEPS) * 1.2) },
    ...(path !== undefined && { path }),
  })
  if (run.failed) report.failure = `seed ${seed}, path ${run.counterexamplePath}: ${told(run.errorInstance)}`
  return report
}

function told(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

async function descriptionText(): Promise<string> {
  const closers: (() => void | Promise<void>)[] = []
  const text = await createTestApi({ onEnd: (close) => closers.push(close) }).text('/openapi.json')
  for (const close of closers.reverse()) await close()
  return text
}
