import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Registers a close function: for the end of the test, or of its file (`withFile`). */
export type OnEnd = (close: () => void | Promise<void>) => void

/**
 * For things that a `beforeAll` opens: closes them after the tests of the file, or of the `describe`, the last first.
 * Call it beside the `beforeAll`. A hook that is registered inside a `beforeAll` never runs.
 */
export function withFile(): OnEnd {
  const closers: (() => void | Promise<void>)[] = []
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  return (close) => void closers.push(close)
}

/** Makes a temporary folder, and deletes it at the end of the test. */
export function temporaryFolder(onEnd: OnEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'soundbox-test-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
