import type { MessagePort } from 'node:worker_threads'
import type { StorageObserver } from '../ports.ts'
import type { SqliteStorage } from '../sqlite/storage.ts'
import { type Form, formOf } from './packed.ts'
import {
  type Act,
  type Answer,
  asBuffer,
  type Observed,
  type PackedAct,
  type PackedFromWriter,
  type ToWriter,
  toFailure,
  withBytes,
} from './wire.ts'

/**
 * Carries out acts as they are handed over, each answered after its commit. The storage gathers those that come
 * together; what came while it was writing is the next commit.
 */
export function serveWriter(port: MessagePort, open: (observe: StorageObserver) => SqliteStorage) {
  let answers: Answer[] = []
  let told: PackedFromWriter = { answers: [], observed: [] }
  let isTelling = false

  const storage = open({
    stage: (...args) => note(['stage', ...args]),
    commit: (...args) => note(['commit', ...args]),
  })

  function note(one: Observed) {
    told.observed.push(one)
    tellSoon()
  }

  /**
   * All that one commit has done and answered goes in one message: by the next tick each act's promise has been
   * followed. From a microtask, because the commit is observed before any, where the next tick would come first.
   */
  function tellSoon() {
    if (isTelling) return
    isTelling = true
    queueMicrotask(() => process.nextTick(tell))
  }

  function tell() {
    isTelling = false
    port.postMessage({ packed: JSON.stringify(told), answers })
    answers = []
    told = { answers: [], observed: [] }
  }

  async function carryOut({ number, port: name, method, args }: Act, form?: Form) {
    try {
      const acts: object = name === undefined ? storage : storage[name]
      // Named by the hub's thread, which has the same ports.
      const act = Reflect.get(acts, method) as (...args: unknown[]) => Promise<unknown>
      const value = await act(...args)
      if (form) told.answers.push([number, form.answer(value)])
      else answers.push({ number, value })
    } catch (error) {
      answers.push({ number, failure: toFailure(error) })
    }
    tellSoon()
  }

  function unpack(packed: string) {
    // What the hub's thread has packed for this.
    for (const [number, name, method, args] of JSON.parse(packed) as PackedAct[]) {
      const form = formOf({ port: name, method })
      if (form) void carryOut({ number, port: name, method, args: form.asked(args) }, form)
    }
  }

  /** What is under way is answered by the commit that closes the storage. */
  function end() {
    storage.close()
    setImmediate(() => port.close())
  }

  port.on('message', (message: ToWriter) => {
    if (message === 'close') return end()
    if ('packed' in message) return unpack(message.packed)
    for (const act of message.acts) void carryOut({ ...act, args: withBytes(act, act.args, asBuffer) })
  })
}
