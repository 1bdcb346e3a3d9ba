import { HubError } from '../../errors.ts'
import type { StorageObserver } from '../storage.ts'
import { type Act, type FromWriter, type ToWriter, toError, unpooled, withBytes } from './messages.ts'

/** Acts that may wait for their answer; beyond it the hub says 503, as the commit queue behind does. */
export const WAITING_LIMIT = 10_000
const RETRY_AFTER_S = 1
/** Acts of one turn that are handed over without waiting for the turn to end: the writer may begin while more arrive. */
export const AT_ONCE = 16

/** The writer in its thread, as the hub's thread sees it. */
export interface Remote {
  /** Hands an act over; resolves with what it answers, after its commit. */
  call(port: Act['port'], method: string, args: unknown[]): Promise<unknown>
  /** Acts that wait for their answer. */
  waiting(): number
  /** Commits what was handed over, and ends the thread. */
  close(): Promise<void>
}

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The way to the writer, and when it has ended. */
export interface Line {
  postMessage(message: ToWriter): void
  on(event: 'message', listener: (message: FromWriter) => void): unknown
  ended: Promise<void>
}

/** Gathers the acts of a turn, hands them over together, and follows up their answers. */
export function createRemote(line: Line, observe: StorageObserver): Remote {
  const waiting = new Map<number, Waiting>()
  let gathered: Act[] = []
  let handedOver = 0
  let isOver = false

  function handOver() {
    if (gathered.length === 0) return
    line.postMessage({ acts: gathered })
    gathered = []
  }

  line.on('message', ({ answers, observed }: FromWriter) => {
    for (const one of observed) tell(observe, one)
    for (const answer of answers) {
      const entry = waiting.get(answer.number)
      waiting.delete(answer.number)
      if ('failure' in answer) entry?.reject(toError(answer.failure))
      else entry?.resolve(answer.value)
    }
  })

  const ended = line.ended.then(() => {
    isOver = true
    for (const { reject } of waiting.values()) reject(unavailable())
    waiting.clear()
  })

  return {
    call(port, method, args) {
      if (isOver || waiting.size >= WAITING_LIMIT) return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        handedOver += 1
        waiting.set(handedOver, { resolve, reject })
        const handed = withBytes({ port, method }, args, unpooled)
        gathered.push({ number: handedOver, port, method, args: handed })
        if (gathered.length >= AT_ONCE) handOver()
        else if (gathered.length === 1) setImmediate(handOver)
      })
    },
    waiting: () => waiting.size,
    async close() {
      handOver()
      isOver = true
      line.postMessage('close')
      await ended
    },
  }
}

function unavailable(): HubError {
  return new HubError('UNAVAILABLE', { retryAfterS: RETRY_AFTER_S })
}

function tell(observe: StorageObserver, one: FromWriter['observed'][number]) {
  if (one.what === 'stage') observe.stage(...one.args)
  else observe.commit(...one.args)
}
