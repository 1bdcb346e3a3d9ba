import type { Outcome } from './run.ts'

/** Lines of the trace that are shown: what led to a failure is seldom further back. */
const SHOWN = 40

/** A failure for a person: what broke, what had happened, and how to see it again. */
export function tellFailure({ seed, failure }: Outcome, steps: number): string {
  if (!failure) return `seed ${seed} holds`
  const last = failure.actions.at(-1)
  const only = failure.actions.map(({ step }) => step).join(',')
  return [
    `seed ${seed} breaks "${failure.invariant}"${last ? ` in or after step ${last.step}` : ''}: ${failure.what}`,
    `what was made to happen: ${failure.actions.map(({ step, name }) => `${step} ${name}`).join(', ')}`,
    'the end of the trace:',
    ...failure.trace.slice(-SHOWN).map((line) => `  ${line}`),
    `again: npm run simulate -- --from ${seed} --seeds 1 --steps ${steps} --only ${only}`,
  ].join('\n')
}
