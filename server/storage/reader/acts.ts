import type { Storage } from '../ports.ts'
import { type CallAct, writingActs } from '../writer/acts.ts'
import { toError, toFailure, withBuffers } from '../writer/copies.ts'
import type { Answer, Call } from '../writer/wire.ts'

export { toError, toFailure } from '../writer/copies.ts'
export type { Answer, Call, Failure } from '../writer/wire.ts'

/** In the thread of the hub: carries out acts of another thread that only reads. */
export function carryOutOn(storage: Storage): (call: Call) => Promise<Answer> {
  const acts = writingActs(storage)
  return async ({ callId, act, args }) => {
    try {
      return { callId, value: await acts.get(act)?.(...args.map(withBuffers)) }
    } catch (error) {
      return { callId, failure: toFailure(error) }
    }
  }
}

/** In the other thread: `send` takes the acts to the thread of the hub, and `answered` gets its answers. */
export function actsElsewhere(send: (call: Call) => void) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  const call: CallAct = (act, args) => {
    lastId += 1
    const done = Promise.withResolvers<unknown>()
    waiting.set(lastId, done)
    send({ callId: lastId, act, args })
    return done.promise
  }
  return {
    call,
    answered(answer: Answer) {
      const asked = waiting.get(answer.callId)
      waiting.delete(answer.callId)
      if ('failure' in answer) asked?.reject(toError(answer.failure))
      else asked?.resolve(answer.value)
    },
  }
}
