/** What a person of the operator may do in the console; each may do what those before it may. */
export const ROLES = ['viewer', 'operator', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** A link to log in with is good once, and for this long. */
export const LINK_MS = 60_000
/** A session ends when nobody has used it for this long, */
export const IDLE_MS = 60 * 60_000
/** and this long after its login in any case. */
export const LONGEST_MS = 12 * 60 * 60_000
/** A use is stored when the stored one is older: not every request writes. */
const STORED_AFTER_MS = 60_000

/** The session of a person in the console. */
export interface ConsoleSession {
  /** Names it where sessions are listed. It logs nobody in. */
  id: string
  /** The person's name, as the audit shows it. */
  name: string
  role: Role
  /** Milliseconds. */
  createdAt: number
  /** About when it was used last. */
  seenAt: number
}

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text)
}

export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}

/** One from the future was made before the clock was set back. It is good until it is over by the new time. */
export function isOver({ createdAt, seenAt }: ConsoleSession, now: number): boolean {
  return now >= createdAt + LONGEST_MS || now >= seenAt + IDLE_MS
}

export function isUseToStore({ seenAt }: ConsoleSession, now: number): boolean {
  return now >= seenAt + STORED_AFTER_MS
}
