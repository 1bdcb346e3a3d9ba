/** What became of a scenario file. */
export interface FileResult {
  file: string
  /** `invalid`: the file is wrong; `broken`: a hub or speaker could not start; `skipped`: it was not played. */
  result: 'passed' | 'failed' | 'invalid' | 'broken' | 'skipped'
  ms: number
  /** Why it did not pass, in a sentence. Empty when it did. */
  reason: string
  /** The reason with the events before it, as lines. */
  details: readonly string[]
}

/** `17 scenarios: 15 passed, 1 failed, 1 not played, in 41.20 s` */
export function summaryOf(results: readonly FileResult[], ms: number): string {
  const count = (...kinds: FileResult['result'][]) =>
    results.filter(({ result }) => kinds.includes(result)).length
  const parts = [
    [count('passed'), 'passed'],
    [count('failed', 'broken'), 'failed'],
    [count('skipped'), 'not played'],
  ].flatMap(([number, what], index) => (number === 0 && index > 0 ? [] : [`${number} ${what}`]))
  const scenarios = `${results.length} ${results.length === 1 ? 'scenario' : 'scenarios'}`
  return `${scenarios}: ${parts.join(', ')}, in ${(ms / 1000).toFixed(2)} s.`
}
