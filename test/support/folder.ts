import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** When what a support opens is closed again: with its test, or with its file (`withFile`). */
export type OnEnd = (close: () => void | Promise<void>) => void

/**
 * What is opened in a `beforeAll` is closed when the tests of its file, or of its `describe`, are over: the last
 * first. To be called beside the `beforeAll`, because a hook that is registered inside of one never runs.
 */
export function withFile(): OnEnd {
  const closers: (() => void | Promise<void>)[] = []
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  return (close) => void closers.push(close)
}

/** A folder of the test's own, gone when the test is. */
export function temporaryFolder(onEnd: OnEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'soundbox-test-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
