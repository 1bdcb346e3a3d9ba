/** The number that vitest.config.ts has made from the commit. `TEST_SEED=123 npm test` repeats a run. */
export const SEED = Number(process.env.TEST_SEED ?? 0)

/**
 * Every `of`-th item, beginning with another one at each commit: over `of` commits, all have been tried. `rest` are
 * the others, for the whole project.
 */
export function share<T>(items: readonly T[], of: number): { part: T[]; rest: T[] } {
  const isPart = (_: T, index: number) => index % of === SEED % of
  return { part: items.filter(isPart), rest: items.filter((item, index) => !isPart(item, index)) }
}
