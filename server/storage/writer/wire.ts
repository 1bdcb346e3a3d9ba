import { HubError } from '../../platform/errors.ts'
import type { StorageObserver, StoragePorts } from '../ports.ts'

/*
 * What the hub's thread and the writer's say to each other. Everything is data that the structured clone algorithm
 * copies: no functions, no classes of our own. What is packed into a text: see packed.ts.
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

/** A batch of acts: each with its arguments, or all packed into one text. */
export type ToWriter = { acts: Act[] } | { packed: string } | 'close'

/** As a text carries an act. */
export type PackedAct = [number: number, port: Act['port'], method: string, args: unknown]

export type Answer = { number: number; value: unknown } | { number: number; failure: Failure }

/** What the storage has told its observer, in order. */
export type Observed = {
  [M in keyof StorageObserver]: [what: M, ...args: Parameters<StorageObserver[M]>]
}[keyof StorageObserver]

/** What a text carries from the writer: the answers of packed acts, by number, and what was observed. */
export interface PackedFromWriter {
  answers: [number: number, value: unknown][]
  observed: Observed[]
}

export interface FromWriter {
  /** JSON of a PackedFromWriter. */
  packed: string
  /** Of all other acts, and what has failed. */
  answers: Answer[]
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
 * The acts that are handed bytes. Node's buffers are views of a pool, all of which would be copied with each, and arrive
 * as plain arrays of bytes; no act answers any. Why a list: to look into every argument of every act for bytes costs
 * more than to hand it over, and V8 compiled the code for it again and again, for each shape that came by.
 */
const WITH_BYTES: { [P in keyof StoragePorts]?: readonly string[] } = {
  devices: ['mint', 'register'],
  codes: ['issue'],
  tokens: ['start', 'rotate'],
  idempotency: ['keep'],
}

/** The arguments of an act with every view of bytes made by `change`. */
export function withBytes(
  { port, method }: Pick<Act, 'port' | 'method'>,
  args: unknown[],
  change: (bytes: Uint8Array) => Uint8Array,
): unknown[] {
  const isListed = port !== undefined && WITH_BYTES[port]?.includes(method)
  return isListed ? args.map((arg) => changed(arg, change)) : args
}

function changed(value: unknown, change: (bytes: Uint8Array) => Uint8Array): unknown {
  if (value instanceof Uint8Array) return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part) => changed(part, change))
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, changed(part, change)]))
}

/** Bytes in memory of their own. */
export function unpooled(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
