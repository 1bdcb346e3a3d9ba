import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'

/** Vitest calls it before a run. What its workers have made for each other is removed at the end: see once-for-run.ts. */
export function setup({ config }: TestProject): () => void {
  return () => rmSync(String(config.env.TEST_RUN_FOLDER), { recursive: true, force: true })
}
