import { HubError } from '../../errors.ts'
import type { StorageObserver, StoragePorts } from '../storage.ts'

/*
 * What the hub's thread and the writer's say to each other. Everything is data that the structured clone algorithm
 * copies: no functions, no classes of our own.
 */

/** What the writer is started with. */
export interface WriterData {
  file: string
  masterKey: Uint8Array
}

/** An act that is handed over: a method of a port, or of the storage itself. */
export interface Act {
  /** Names its answer. */
  number: number
  port: keyof StoragePorts | undefined
  method: string
  args: unknown[]
}

export type ToWriter = { acts: Act[] } | 'close'

export type Answer = { number: number; value: unknown } | { number: number; failure: Failure }

/** What the storage has told its observer, in order. */
export type Observed = {
  [M in keyof StorageObserver]: { what: M; args: Parameters<StorageObserver[M]> }
}[keyof StorageObserver]

export interface FromWriter {
  answers: Answer[]
  observed: Observed[]
}

export type Failure =
  | ({ kind: 'hub'; cause: unknown } & Pick<HubError, 'details' | 'retryAfterS'> & { name: HubError['kind'] })
  | { kind: 'other'; error: unknown }

export function toFailure(error: unknown): Failure {
  if (!(error instanceof HubError)) return { kind: 'other', error: told(error) }
  const { kind: name, details, retryAfterS, cause } = error
  return { kind: 'hub', name, details, retryAfterS, cause: told(cause) }
}

export function toError(failure: Failure): unknown {
  if (failure.kind === 'other') return failure.error
  const { name, details, retryAfterS, cause } = failure
  return new HubError(name, { details, ...(retryAfterS !== undefined && { retryAfterS }), cause })
}

/** An error as a log would tell it: its class and what hangs on it stay behind. */
function told(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : String(error)
  return Object.assign(new Error(error.message), { stack: error.stack })
}

/**
 * The same argument with every view of bytes made by `change`; what holds none is left as it is. Why: Node's buffers are
 * views of a pool, all of which would be copied with each, and arrive as plain arrays of bytes. No act answers bytes.
 */
export function withBytes(value: unknown, change: (bytes: Uint8Array) => Uint8Array): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return change(value)
  // Both objects and lists are read by their keys alone. Without a list of these, which would cost more than the rest.
  const parts = value as Record<string, unknown>
  let changed: Record<string, unknown> | undefined
  for (const key in parts) {
    const part = parts[key]
    if (typeof part !== 'object') continue
    const next = withBytes(part, change)
    if (next === part) continue
    changed ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    changed[key] = next
  }
  return changed ?? value
}

/** Bytes in memory of their own. */
export function unpooled(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
