import { hash } from 'node:crypto'

/** A box ignores a `message_id` that it had before. Six bytes of a hash fill ten digits without a leading zero. */
const LOWEST = 1_000_000_000
const COUNT = 9_000_000_000

/**
 * The `message_id` of a text: ten decimal digits. A command's id gives the same one at each sending, so that the box
 * itself drops a repeat.
 */
export function messageIdOf(text: string): string {
  return String(LOWEST + (Number.parseInt(hash('sha256', text).slice(0, 12), 16) % COUNT))
}
