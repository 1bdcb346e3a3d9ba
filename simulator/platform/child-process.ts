import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Waits for a line with these words. Throws the last line when the process ends before. */
export async function untilSays(child: ChildProcess, output: Readable, words: string) {
  let last = ''
  const ready = Promise.withResolvers<void>()
  createInterface({ input: output }).on('line', (line) => {
    last = line
    if (line.includes(words)) ready.resolve()
  })
  child.once('error', ready.reject).once('exit', () => ready.reject(new Error(last)))
  await ready.promise
}

/** Sends a signal to a process that still runs. Resolves at its exit. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
