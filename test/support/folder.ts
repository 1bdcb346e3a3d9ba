import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** When what a support opens is closed again: with its test, or with its file (`afterAll`). */
export type OnEnd = (close: () => void | Promise<void>) => void

/** A folder of the test's own, gone when the test is. */
export function temporaryFolder(onEnd: OnEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'soundbox-test-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
