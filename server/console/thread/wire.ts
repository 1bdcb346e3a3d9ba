import type { StoragePlace } from '../../storage/ports.ts'
import type { Answer, Call, Failure } from '../../storage/reader/acts.ts'
import type { Asked } from '../routes/pages.ts'

/* The messages between the thread of the hub and the thread of the console's pages. */

/** What the thread starts with. */
export interface PagesData {
  place: StoragePlace
  /** See DeviceLists. */
  hubSince: number
  logLevel: string
}

/** What the hub alone knows, and the thread goes by. */
export interface Known {
  /** The time of the hub, milliseconds. */
  now: number
  /** See Parts. */
  retentionWaits: boolean
}

export type ToPages =
  | { known: Known; ask?: { id: number; asked: Asked } }
  /** Of an act that the hub has carried out. */
  | { done: Answer }
  /** Live pages end, and no other one begins. */
  | 'stop'
  /** Comes last. */
  | 'close'

/** An answer of HTTP: its body is whole, or comes as a stream. */
export interface Page {
  status: number
  headers: [string, string][]
  body: ArrayBuffer | ReadableStream<Uint8Array> | null
}

export type FromPages =
  | { id: number; page: Page }
  | { id: number; failure: Failure }
  /** An act that writes. */
  | { call: Call }
