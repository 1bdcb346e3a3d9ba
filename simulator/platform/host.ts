import type { ReadStream, WriteStream } from 'node:tty'
import { endSignal, onEndSignal } from './end-signals.ts'
import { errorCode } from './error-text.ts'

/** The process that a run lives in. */
export interface Host {
  env: NodeJS.ProcessEnv
  pid: number
  stdout: WriteStream
  stderr: WriteStream
  stdin: ReadStream
  /** Calls back at each request to end: a signal, or a closed standard output. */
  onEnd(end: () => void): void
  /** Resolves at the first request to end. A second signal ends the process at once. */
  ended(): Promise<undefined>
}

export function hostOf(process: NodeJS.Process): Host {
  const { env, pid, stdout, stderr, stdin } = process
  // Listen from the start: the reader of `--help` may close the pipe early, too.
  const closed = outputClosed(stdout)
  let ended: Promise<undefined> | undefined
  return {
    ...{ env, pid, stdout, stderr, stdin },
    onEnd: (end) => {
      onEndSignal(process, end)
      void closed.then(end)
    },
    ended: () => {
      ended ??= Promise.race([endSignal(process, 1), closed])
      return ended
    },
  }
}

/** Resolves when the reader of the output is gone (`| head -1`). */
export function outputClosed(stdout: WriteStream): Promise<undefined> {
  return new Promise((resolve, reject) => {
    stdout.on('error', (error: Error) => {
      if (errorCode(error) === 'EPIPE') resolve(undefined)
      else reject(error)
    })
  })
}
