import { type Birth, birth } from '../../messages/birth.ts'
import type { Link } from '../wire/link.ts'
import type { Facts } from '../wire/transcript.ts'
import type { SentCommand } from './commands.ts'

/** The session is known by its will; what the birth says of it is checked elsewhere. */
const NO_SID = '0000000000000000'

/** One connection of the device, from its CONNECT on. */
export interface Session {
  readonly link: Link
  /** From the will; empty when there was none. */
  readonly sid: string
  /** What the birth says; undefined before it. */
  birth: Birth | undefined
  born: boolean
  welcome: SentCommand | undefined
  /** The welcome was acked: from here on commands may be sent. */
  welcomed: boolean
  saidBye: boolean
}

/** Reads a birth as far as it can be read: what one wrong field says is not to cost the device its others. */
export function readBirth(says: Facts): Birth {
  const fields = Object.entries(says).filter(([name, value]) => {
    const schema = Object.hasOwn(birth.shape, name)
      ? birth.shape[name as keyof typeof birth.shape]
      : undefined
    return schema?.safeParse(value).success
  })
  return birth.parse({ ...Object.fromEntries(fields), t: 'birth', sid: NO_SID })
}

export function openSession(link: Link, sid: string): Session {
  return { link, sid, birth: undefined, born: false, welcome: undefined, welcomed: false, saidBye: false }
}
