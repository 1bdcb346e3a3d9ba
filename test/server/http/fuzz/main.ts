import { type FuzzReport, fuzz } from './fuzz.ts'

/** `npm run fuzz -- [REQUESTS] [SEED] [PATH]`: seed and path, as a failure names them, do it again. */

const [requests = '100000', seed, path] = process.argv.slice(2)
const startedAt = Date.now()
const report = await fuzz({
  requests: Number(requests),
  ...(seed !== undefined && { seed: Number(seed) }),
  ...(path !== undefined && { path }),
  onProgress: (so) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${so.requests} requests`)
  },
})
process.stdout.write(`${summary(report)}\n`)
process.exitCode = report.failure === undefined ? 0 : 1

function summary({ seed, requests, answers, failure }: FuzzReport): string {
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  const counts = [...answers].sort(([a], [b]) => a.localeCompare(b)).map(([answer, n]) => `  ${answer}: ${n}`)
  const statuses = Map.groupBy(answers, ([answer]) => answer.slice(0, 3))
  const totals = [...statuses]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([status, ofIt]) => `${status}: ${ofIt.reduce((sum, [, count]) => sum + count, 0)}`)
  return [
    `${requests} requests in ${seconds} s, seed ${seed}`,
    totals.join(', '),
    ...counts,
    failure === undefined ? 'every answer was as described' : `FAILED at ${failure}`,
  ].join('\n')
}
