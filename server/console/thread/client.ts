import { Worker } from 'node:worker_threads'
import { every } from '../../platform/clock.ts'
import { HubError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { StoragePlace } from '../../storage/ports.ts'
import { carryOutOn, toError } from '../../storage/reader/acts.ts'
import type { Parts } from '../parts/visit.ts'
import { type Asked, type Pages, untilGone } from '../routes/pages.ts'
import type { FromPages, PagesData, ToPages } from './wire.ts'

const MAIN = new URL('./main.ts', import.meta.url)
/**
 * Of the thread. A small young generation costs more collections, and half of the memory: 21 MB beside the hub's 235 after
 * 200 pages, and 49 MB without this limit.
 */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }
/** The thread is told the time of the hub so often. */
const TELL_EVERY_MS = 5_000
/** A thread that has not ended by then is cut off: it reads alone, so nothing is lost. */
const END_MS = 1_000

interface ThreadDeps {
  place: StoragePlace
  parts: Parts
  log: Logger
}

/**
 * Has pages read and made by a thread of its own, so that no callback waits for one. The thread starts with the first page,
 * and again with the next page after it has failed. It only reads: acts that write are carried out here.
 */
export function pagesInThread(
  deps: ThreadDeps,
  start: (data: PagesData) => Worker = startWorker,
): Pages & { close(): Promise<void> } {
  let thread: ReturnType<typeof startThread> | undefined
  let isStopped = false

  function running() {
    if (thread && !thread.isOver()) return thread
    thread = startThread(deps, start)
    if (isStopped) thread.send('stop')
    return thread
  }

  return {
    answer: (asked) => running().answer(asked),
    stop() {
      isStopped = true
      thread?.send('stop')
    },
    close: async () => thread?.close(),
  }
}

export function startWorker(workerData: PagesData): Worker {
  return new Worker(MAIN, { workerData, resourceLimits: MEMORY })
}

function startThread({ place, parts, log }: ThreadDeps, start: typeof startWorker) {
  const { storage, clock, hubSince, retentionWaits } = parts
  const carryOut = carryOutOn(storage)
  const worker = start({ place, hubSince, logLevel: log.level })
  worker.unref()
  const ends = new Set<() => void>()
  let isOver = false
  const waiting = new Map<number, PromiseWithResolvers<Response>>()
  let lastId = 0
  let isClosing = false
  const send = (message: ToPages) => worker.postMessage(message)
  const known = () => ({ now: clock.now(), retentionWaits: retentionWaits() })
  const endTelling = every(clock, TELL_EVERY_MS, () => send({ known: known() }))

  worker.on('message', (message: FromPages) => {
    if ('call' in message) return void carryOut(message.call).then((done) => send({ done }))
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if ('failure' in message) return asked?.reject(toError(message.failure))
    const { status, headers, body } = message.page
    asked?.resolve(new Response(body, { status, headers }))
  })
  worker.on('error', (error) => log.error({ err: error }, 'the thread of the console has failed'))
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve())).then(() => {
    endTelling()
    isOver = true
    for (const end of ends) end()
    if (!isClosing) log.error('the thread of the console has ended: the next page starts it again')
    for (const { reject } of waiting.values()) reject(new HubError('UNAVAILABLE', { retryAfterS: 1 }))
    waiting.clear()
  })

  return {
    isOver: () => isOver,
    send,
    async answer(asked: Asked): Promise<Response> {
      lastId += 1
      const answered = Promise.withResolvers<Response>()
      waiting.set(lastId, answered)
      send({ known: known(), ask: { id: lastId, asked } })
      return untilGone(await answered.promise, (end) => {
        ends.add(end)
        return () => void ends.delete(end)
      })
    },
    async close() {
      isClosing = true
      send('close')
      const cancel = clock.after(END_MS, () => void worker.terminate())
      await exited
      cancel()
    },
  }
}
