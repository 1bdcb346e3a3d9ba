import type { HubError } from '../../platform/errors.ts'
import type { StorageObserver } from '../ports.ts'
import type { ActName } from './acts.ts'

/*
 * The messages between the hub's thread and the writer's thread. Node copies them by the structured clone algorithm,
 * so they hold no functions and no instances of classes.
 *
 * A message that only holds acts of payments travels as JSON text. Why: a payment and its two acks cost 3.5 µs more in
 * the hub's thread, and 12 µs more in both threads, when their messages are cloned.
 */

/** The data that the writer's thread starts with. */
export interface WriterData {
  file: string
  masterKey: Uint8Array
}

export interface Call {
  /** Finds the call that an answer belongs to. */
  callId: number
  act: ActName
  args: unknown[]
}

/** The calls of one batch, or their JSON, or the order to commit and end. */
export type ToWriter = Call[] | { json: string } | 'close'

export type Answer = { callId: number; value: unknown } | { callId: number; failure: Failure }

/** One call of a method of the storage's observer. */
export type Observed = {
  [M in keyof StorageObserver]: [method: M, ...args: Parameters<StorageObserver[M]>]
}[keyof StorageObserver]

export interface Reply {
  answers: Answer[]
  observed: Observed[]
}

/** A reply, or its JSON. */
export type FromWriter = Reply | { json: string }

export type Failure =
  | ({ kind: 'hub'; cause: unknown } & Pick<HubError, 'details' | 'retryAfterS'> & { name: HubError['kind'] })
  | { kind: 'other'; error: unknown }
