/** Who makes a change. Its audit row says so: see storage/acts/audit-trail.ts. */
export type Actor =
  | { kind: 'partner'; clientId: string }
  /** A person who works for the operator: the system user of a command, or the user of a console's session. */
  | { kind: 'operator'; name: string; from: 'command' | 'console' }
  | { kind: 'hub' }

/** The actor of the hub's own work. */
export const HUB: Actor = { kind: 'hub' }

export function byPartner(clientId: string): Actor {
  return { kind: 'partner', clientId }
}

/** Whose things alone the actor may see and change. Undefined: those of all partners. */
export function ownerOf(by: Actor): string | undefined {
  return by.kind === 'partner' ? by.clientId : undefined
}

/** Whether the actor may change what this partner owns, or nobody (null). A partner may change only what is its own. */
export function mayChange(by: Actor, owner: string | null): boolean {
  return by.kind !== 'partner' || by.clientId === owner
}
