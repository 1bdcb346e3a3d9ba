import { parentPort } from 'node:worker_threads'
import { reason } from '../../platform/errors.ts'
import { Unreadable } from '../model/statement.ts'
import { matchingHere } from './matching.ts'
import type { Call, Reply } from './wire.ts'

/** Carries out the calls of the thread that has started this one. */
export function serve() {
  const port = parentPort
  if (!port) throw new Error('this is no worker')
  const matching = matchingHere()
  port.on('message', (call: Call) => {
    void answer(call).then((reply) => port.postMessage(reply))
  })

  async function answer({ method, args }: Call): Promise<Reply> {
    try {
      // The arguments are those of the method.
      const carryOut = matching[method] as (...given: typeof args) => Promise<unknown>
      return { value: await carryOut(...args) }
    } catch (error) {
      if (error instanceof Unreadable) return { unreadable: { line: error.line, reason: error.message } }
      return { failure: reason(error) }
    }
  }
}
