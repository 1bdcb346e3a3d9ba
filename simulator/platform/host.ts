import type { ReadStream, WriteStream } from 'node:tty'
import { endSignal, onEndSignal } from './end-signals.ts'
import { errorCode } from './error-text.ts'

/** The process around whatever runs in it. */
export interface Host {
  env: NodeJS.ProcessEnv
  pid: number
  stdout: WriteStream
  stderr: WriteStream
  stdin: ReadStream
  /** Calls back at each request to end: a wish by signal, or nobody reads the output any more. */
  onEnd(end: () => void): void
  /** Resolves at the first request to end since it was first asked for; a second wish ends the process at once. */
  ended(): Promise<undefined>
}

export function hostOf(process: NodeJS.Process): Host {
  const { env, pid, stdout, stderr, stdin } = process
  // From the start: also help may be read by something that has soon read enough.
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

/** The reader of the output has gone (`| head -1`): nobody is left to speak to. */
function outputClosed(stdout: WriteStream): Promise<undefined> {
  return new Promise((resolve, reject) => {
    stdout.on('error', (error: Error) => {
      if (errorCode(error) === 'EPIPE') resolve(undefined)
      else reject(error)
    })
  })
}
