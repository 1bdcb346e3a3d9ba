import type { MessagePort } from 'node:worker_threads'
import type { SqliteStorage } from '../sqlite/storage.ts'
import type { StorageObserver } from '../storage.ts'
import {
  type Act,
  type Answer,
  asBuffer,
  type Observed,
  type ToWriter,
  toFailure,
  withBytes,
} from './messages.ts'

/**
 * Carries out acts as they are handed over, each answered after its commit. The storage gathers those that come
 * together; what came while it was writing is the next commit.
 */
export function serveWriter(port: MessagePort, open: (observe: StorageObserver) => SqliteStorage) {
  let answers: Answer[] = []
  let observed: Observed[] = []

  const storage = open({
    stage: (...args) => note({ what: 'stage', args }),
    commit: (...args) => note({ what: 'commit', args }),
  })

  function note(one: Observed) {
    observed.push(one)
    tellSoon()
  }

  /** All that one commit has answered goes in one message: by the next tick each act's promise has been followed. */
  function tellSoon() {
    if (answers.length + observed.length === 1) process.nextTick(tell)
  }

  function tell() {
    port.postMessage({ answers, observed })
    answers = []
    observed = []
  }

  function answer(one: Answer) {
    answers.push(one)
    tellSoon()
  }

  async function carryOut(handed: Act) {
    const { number, port: name, method } = handed
    try {
      const acts: object = name === undefined ? storage : storage[name]
      // Named by the hub's thread, which has the same ports.
      const act = Reflect.get(acts, method) as (...args: unknown[]) => Promise<unknown>
      answer({ number, value: await act(...withBytes(handed, handed.args, asBuffer)) })
    } catch (error) {
      answer({ number, failure: toFailure(error) })
    }
  }

  /** What is under way is answered by the commit that closes the storage. */
  function end() {
    storage.close()
    setImmediate(() => port.close())
  }

  port.on('message', (message: ToWriter) => {
    if (message === 'close') return end()
    for (const act of message.acts) void carryOut(act)
  })
}
