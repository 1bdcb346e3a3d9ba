import type { BoxLine } from './lines.ts'

/** What a step asks for. */
export type BoxEffect =
  | { type: 'subscribe'; topic: string; qos: 0 | 1 }
  | { type: 'publish'; topic: string; payload: string; qos: 0 | 1; retain?: boolean }
  /** Send no PUBACK for the message of this step. */
  | { type: 'withhold' }
  | { type: 'emit'; event: BoxLine }
  /** The power fails and comes back. */
  | { type: 'die'; forMs: number }
