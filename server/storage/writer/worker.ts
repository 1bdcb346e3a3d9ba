import { Worker } from 'node:worker_threads'
import type { Line } from './client.ts'
import type { WriterData } from './wire.ts'

const MAIN = new URL('./main.ts', import.meta.url)

/**
 * Starts the writer's thread. A failure in it that no act answers for is a failure of the process, as it would be
 * without a thread: it is thrown. Nothing was promised that is not on disk.
 */
export function startWorker(data: WriterData): Line {
  const worker = new Worker(MAIN, { workerData: data })
  let isAsked = false
  worker.on('error', (error) => {
    throw error
  })
  worker.on('exit', (code) => {
    if (!isAsked) throw new Error(`the writer has ended by itself (${code})`)
  })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return {
    postMessage(message) {
      isAsked ||= message === 'close'
      worker.postMessage(message)
    },
    on: (event, listener) => worker.on(event, listener),
    ended,
  }
}
