import { randomBytes } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Actor } from '../security/actor.ts'
import { sha256 } from '../security/digest.ts'
import type { OperatorRecords } from './ports.ts'
import { type ConsoleSession, isOver, isUseToStore, LINK_MS, type Role } from './session.ts'

const SECRET_BYTES = 32

interface SessionDeps {
  operators: OperatorRecords
  clock: Clock
  ids: Pick<Ids, 'uuid'>
}

export type SessionVerbs = ReturnType<typeof manageSessions>

/** How people of the operator come into the console, and leave it. */
export function manageSessions({ operators, clock, ids }: SessionDeps) {
  return {
    /** Makes a link for a person, and returns its secret. */
    async makeLink(by: Actor, { name, role }: { name: string; role: Role }): Promise<string> {
      const secret = newSecret()
      const at = clock.now()
      await operators.addLink(by, { hash: sha256(secret), name, role, expiresAt: at + LINK_MS }, at)
      return secret
    },

    /** Whether a link still logs somebody in. */
    isLinkGood: (link: string): Promise<boolean> => operators.hasLink(sha256(link), clock.now()),

    /** Uses a link up. Returns the session with the secret that its cookie has; undefined when the link is not good. */
    async logIn(link: string): Promise<{ session: ConsoleSession; secret: string } | undefined> {
      const secret = newSecret()
      const begun = { id: ids.uuid(), hash: sha256(secret) }
      const session = await operators.logIn(sha256(link), begun, clock.now())
      return session && { session, secret }
    },

    /** The session of a cookie, which counts as used now. Undefined when there is none, or it is over. */
    async resume(secret: string): Promise<ConsoleSession | undefined> {
      const session = await operators.session(sha256(secret))
      const now = clock.now()
      if (!session || isOver(session, now)) return undefined
      if (isUseToStore(session, now)) await operators.noteUse(session.id, now)
      return session
    },

    end: (by: Actor, id: string): Promise<boolean> => operators.end(by, id, clock.now()),
    listSessions: (): Promise<ConsoleSession[]> => operators.sessions(clock.now()),
  }
}

const newSecret = () => randomBytes(SECRET_BYTES).toString('base64url')
