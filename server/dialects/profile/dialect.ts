import type { BoxCodec } from '../../delivery/dialect.ts'
import type { SessionRules } from '../../delivery/session/ports.ts'
import type { Abilities } from '../../devices/device.ts'
import type { Profile } from './schema.ts'

/** A box, as a codec needs it. */
export interface Box<P extends Profile = Profile> {
  serial: string
  wireId: string
  profile: P
  /** Unix ms, for messages that answer the box and for pings. */
  now(): number
}

/**
 * A dialect of boxes: one folder of server/dialects.
 *
 * Why methods and a parameter P: the registry keeps all dialects as BoxDialect, and picks one by the profile's own
 * `dialect`, so each gets its own kind of profile.
 */
export interface BoxDialect<P extends Profile = Profile> {
  rules(profile: P): SessionRules
  abilities(profile: P): Abilities
  /** Reads and writes the messages of one session. */
  codec(box: Box<P>): BoxCodec
  /** Why a profile of the schema can't be used, a sentence each. Empty when it can. */
  check(profile: P): string[]
}
