import { HubError } from '../../platform/errors.ts'
import type { StorageObserver } from '../ports.ts'
import { type Form, formOf } from './packed.ts'
import {
  type Act,
  type FromWriter,
  type Observed,
  type PackedAct,
  type PackedFromWriter,
  type ToWriter,
  toError,
  unpooled,
  withBytes,
} from './wire.ts'

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
  form: Form | undefined
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
  /** What is gathered is packed, or it is not: acts keep their order. */
  let acts: Act[] = []
  let packed: PackedAct[] = []
  let handedOver = 0
  let isOver = false

  function handOver() {
    if (acts.length > 0) line.postMessage({ acts })
    if (packed.length > 0) line.postMessage({ packed: JSON.stringify(packed) })
    acts = []
    packed = []
  }

  function gather(act: Act, form: Form | undefined) {
    if (form ? acts.length > 0 : packed.length > 0) handOver()
    const { number, port, method, args } = act
    const gathered = form
      ? packed.push([number, port, method, form.ask(args)])
      : acts.push({ ...act, args: withBytes(act, args, unpooled) })
    if (gathered >= AT_ONCE) handOver()
    else if (gathered === 1) setImmediate(handOver)
  }

  function settled(number: number): Waiting | undefined {
    const entry = waiting.get(number)
    waiting.delete(number)
    return entry
  }

  line.on('message', (message: FromWriter) => {
    // What the writer has packed for this.
    const { answers, observed } = JSON.parse(message.packed) as PackedFromWriter
    for (const one of observed) tell(observe, one)
    for (const [number, value] of answers) {
      const entry = settled(number)
      entry?.resolve(entry.form?.answered(value))
    }
    for (const answer of message.answers) {
      const entry = settled(answer.number)
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
        const form = formOf({ port, method })
        waiting.set(handedOver, { form, resolve, reject })
        gather({ number: handedOver, port, method, args }, form)
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

function tell(observe: StorageObserver, one: Observed) {
  if (one[0] === 'stage') observe.stage(one[1], one[2])
  else observe.commit(one[1], one[2])
}
