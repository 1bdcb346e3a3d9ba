import type { MessagePort } from 'node:worker_threads'
import type { StorageObserver } from '../ports.ts'
import type { SqliteStorage } from '../sqlite/storage.ts'
import { actsThat, writingActs } from './acts.ts'
import { toFailure, withBuffers } from './copies.ts'
import type { Call, Observed, Reply, ToWriter } from './wire.ts'

const PAYMENT_ACTS = actsThat('payment')

/**
 * Runs in the writer's thread: carries out the calls that arrive at `port`, and answers each after its commit.
 * The storage gathers calls into one commit; calls that arrive during a commit share the next one.
 */
export function serveWriter(port: MessagePort, open: (observe: StorageObserver) => SqliteStorage) {
  let reply: Reply = { answers: [], observed: [] }
  let isJson = true
  let isReplyDue = false

  const storage = open({
    stage: (...args) => note(['stage', ...args]),
    commit: (...args) => note(['commit', ...args]),
  })
  const acts = writingActs(storage)
  // A failure ends the hub, which would not know what a device has shown.
  void storage.resume()

  function note(observed: Observed) {
    reply.observed.push(observed)
    replySoon()
  }

  /**
   * Sends all answers of one commit in one message. By the next tick the promise of each act has settled.
   *
   * Why from a microtask: the storage observes a commit before it settles any promise, and a tick that was asked for
   * at that moment would come first.
   */
  function replySoon() {
    if (isReplyDue) return
    isReplyDue = true
    queueMicrotask(() => process.nextTick(sendReply))
  }

  function sendReply() {
    isReplyDue = false
    port.postMessage(isJson ? { json: JSON.stringify(reply) } : reply)
    reply = { answers: [], observed: [] }
    isJson = true
  }

  async function carryOut({ callId, act, args }: Call) {
    try {
      const run = acts.get(act)
      if (!run) throw new Error(`the storage has no act ${act}`)
      const value = await run(...args)
      isJson &&= PAYMENT_ACTS.has(act)
      reply.answers.push({ callId, value })
    } catch (error) {
      isJson = false
      reply.answers.push({ callId, failure: toFailure(error) })
    }
    replySoon()
  }

  /** Closing commits the calls under way; they are answered before the port closes. */
  function end() {
    storage.close()
    setImmediate(() => port.close())
  }

  port.on('message', (message: ToWriter) => {
    if (message === 'close') return end()
    for (const call of readCalls(message)) void carryOut(call)
  })
}

/** The calls of a message. */
function readCalls(message: Exclude<ToWriter, 'close'>): Call[] {
  // The client has written the JSON.
  if ('json' in message) return JSON.parse(message.json) as Call[]
  return message.map((call) => ({ ...call, args: call.args.map(withBuffers) }))
}
