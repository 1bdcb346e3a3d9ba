import { type Birth, birth } from '../../messages/birth.ts'
import type { Link } from '../wire/link.ts'
import type { Facts } from '../wire/transcript.ts'
import type { SentCommand } from './commands.ts'
import type { Identity } from './diagnose.ts'

/** A placeholder for the birth's sid: the will defines the session, and read.ts checks the birth's sid. */
const NO_SID = '0000000000000000'

/** One connection of the device, from its CONNECT. */
export interface Session {
  readonly link: Link
  /** From the will. Empty if there was none. */
  readonly sid: string
  /** Its serial, and the key that it has connected with. */
  readonly identity: Identity
  /** Undefined before the birth. */
  birth: Birth | undefined
  born: boolean
  welcome: SentCommand | undefined
  /** The device has acked the welcome, so the kit may send commands. */
  welcomed: boolean
  saidBye: boolean
  /** Payloads without a PUBACK, by packet identifier. */
  readonly inFlight: Map<number, string>
  /** When its last telemetry after the welcome came; long ago before the first. */
  telemetryAtMs: number
}

/** Reads the valid fields of a birth: one invalid field must not hide the others. */
export function readBirth(says: Facts): Birth {
  const fields = Object.entries(says).filter(([name, value]) => {
    const schema = Object.hasOwn(birth.shape, name)
      ? birth.shape[name as keyof typeof birth.shape]
      : undefined
    return schema?.safeParse(value).success
  })
  return birth.parse({ ...Object.fromEntries(fields), t: 'birth', sid: NO_SID })
}

export function openSession(link: Link, sid: string, identity: Identity): Session {
  const none = { birth: undefined, born: false, welcome: undefined, welcomed: false, saidBye: false }
  return { link, sid, identity, inFlight: new Map(), telemetryAtMs: Number.NEGATIVE_INFINITY, ...none }
}
