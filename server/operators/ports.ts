import type { Actor } from '../security/actor.ts'
import type { ConsoleSession, Role } from './session.ts'

/** Links and sessions of the console. Only hashes of what logs somebody in are stored. */
export interface OperatorRecords {
  /** Adds a link, and deletes those that have expired. */
  addLink(
    by: Actor,
    link: { hash: Buffer; name: string; role: Role; expiresAt: number },
    at: number,
  ): Promise<void>
  /** Whether a link is there and good at `at`. It is not used up. */
  hasLink(hash: Buffer, at: number): Promise<boolean>
  /**
   * Uses a link up, begins the session of its person, and deletes the sessions that are over. Undefined when there is no
   * such link, it was used, or it has expired.
   */
  logIn(
    linkHash: Buffer,
    session: { id: string; hash: Buffer },
    at: number,
  ): Promise<ConsoleSession | undefined>
  /** The session with this hash, over or not. */
  session(hash: Buffer): Promise<ConsoleSession | undefined>
  /** Stores that a session was used. */
  noteUse(id: string, at: number): Promise<void>
  /** Ends a session. False when there is none. */
  end(by: Actor, id: string, at: number): Promise<boolean>
  /** The sessions that are not over, the newest first. */
  sessions(at: number): Promise<ConsoleSession[]>
}
