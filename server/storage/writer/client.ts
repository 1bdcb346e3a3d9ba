import type { StorageObserver } from '../ports.ts'
import { unavailable } from '../sqlite/engine/map-driver-errors.ts'
import { type ActName, PAYMENT_ACTS, type WritingActs } from './acts.ts'
import { type Call, type FromWriter, type Observed, type Reply, type ToWriter, toError } from './wire.ts'

/** Calls that may wait for their answer. Beyond it the hub answers 503, as the commit queue does. */
export const WAITING_LIMIT = 10_000
/** A batch of this many calls leaves before the turn ends: the writer may begin while more arrive. */
export const BATCH_LIMIT = 16

/** Calls the writer's thread. */
export interface WriterClient {
  /** Carries out an act in the writer's thread; settles after its commit. */
  call<A extends ActName>(
    act: A,
    args: Parameters<WritingActs[A]>,
  ): Promise<Awaited<ReturnType<WritingActs[A]>>>
  /** Calls that wait for their answer. */
  waiting(): number
  /** Lets the writer commit all calls so far, and ends its thread. */
  close(): Promise<void>
}

/** The writer's thread as its client sees it; `ended` resolves when the thread is over. */
export interface WriterThread {
  postMessage(message: ToWriter): void
  on(event: 'message', listener: (message: FromWriter) => void): unknown
  ended: Promise<void>
}

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** Gathers the calls of one turn into a batch, and matches answers to calls. */
export function createWriterClient(thread: WriterThread, observe: StorageObserver): WriterClient {
  const waiting = new Map<number, Waiting>()
  let batch: Call[] = []
  let lastCallId = 0
  let isOver = false

  function sendBatch() {
    if (batch.length === 0) return
    const isJson = batch.every(({ act }) => PAYMENT_ACTS.has(act))
    thread.postMessage(isJson ? { json: JSON.stringify(batch) } : batch)
    batch = []
  }

  function send(call: Call) {
    batch.push(call)
    if (batch.length >= BATCH_LIMIT) sendBatch()
    else if (batch.length === 1) setImmediate(sendBatch)
  }

  thread.on('message', (message) => {
    // The writer has written the JSON.
    const { answers, observed } = 'json' in message ? (JSON.parse(message.json) as Reply) : message
    for (const one of observed) report(observe, one)
    for (const answer of answers) {
      const call = waiting.get(answer.callId)
      waiting.delete(answer.callId)
      if ('failure' in answer) call?.reject(toError(answer.failure))
      else call?.resolve(answer.value)
    }
  })

  const ended = thread.ended.then(() => {
    isOver = true
    for (const { reject } of waiting.values()) reject(unavailable())
    waiting.clear()
  })

  return {
    call(act, args) {
      if (isOver || waiting.size >= WAITING_LIMIT) return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        lastCallId += 1
        // The map holds calls of every act; each answer carries the value of its own act.
        waiting.set(lastCallId, { resolve: resolve as (value: unknown) => void, reject })
        send({ callId: lastCallId, act, args })
      })
    },
    waiting: () => waiting.size,
    async close() {
      sendBatch()
      isOver = true
      thread.postMessage('close')
      await ended
    },
  }
}

function report(observe: StorageObserver, observed: Observed) {
  if (observed[0] === 'stage') observe.stage(observed[1], observed[2])
  else observe.commit(observed[1], observed[2])
}
