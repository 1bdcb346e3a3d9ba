import { Worker } from 'node:worker_threads'
import type { WriterThread } from './client.ts'
import type { WriterData } from './wire.ts'

const MAIN = new URL('./main.ts', import.meta.url)

/**
 * Starts the writer's thread. An error in it that belongs to no call ends the process, as it would without a thread.
 * No payment is lost by that: a payment is answered only when it is on disk.
 */
export function startWriterThread(data: WriterData): WriterThread {
  const worker = new Worker(MAIN, { workerData: data })
  let isClosing = false
  let failure: unknown
  // Thrown when the thread has ended: while it ends, Node.js sometimes drops what a listener throws.
  worker.on('error', (error) => {
    failure = error
  })
  worker.on('exit', (code) => {
    if (failure !== undefined) throw failure
    if (!isClosing) throw new Error(`the writer has ended by itself (${code})`)
  })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return {
    postMessage(message) {
      isClosing ||= message === 'close'
      worker.postMessage(message)
    },
    on: (event, listener) => worker.on(event, listener),
    ended,
  }
}
