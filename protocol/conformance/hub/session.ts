import type { Birth } from '../../messages/birth.ts'
import type { Link } from '../wire/link.ts'
import type { SentCommand } from './commands.ts'

/** One connection of the device, from its CONNECT on. */
export interface Session {
  readonly link: Link
  /** From the will; empty when there was none. */
  readonly sid: string
  /** What the birth says; undefined before it, or when it can't be read. */
  birth: Birth | undefined
  born: boolean
  welcome: SentCommand | undefined
  /** The welcome was acked: from here on commands may be sent. */
  welcomed: boolean
  saidBye: boolean
}

export function openSession(link: Link, sid: string): Session {
  return { link, sid, birth: undefined, born: false, welcome: undefined, welcomed: false, saidBye: false }
}
