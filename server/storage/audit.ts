/** What is audited: every change by a command or the API, and what the hub itself deletes, ends or migrates. */
export const AUDIT_ACTIONS = [
  'partner.create',
  'partner.disable',
  'partner.enable',
  'partner.rotate-secret',
  'token.start',
  'token.revoke',
  'device.add',
  'device.revoke',
  'device.identify',
  'device.settings',
  'device.rotate',
  'device.update',
  'device.register',
  'device.unregister',
  'device.lock',
  'device.unlock',
  'code.issue',
  'code.burn',
  'store.update',
  'webhook.create',
  'webhook.change',
  'webhook.delete',
  'webhook.rotate',
  'webhook.disable',
  'webhook.replay',
  'bank-profile.save',
  'profile.save',
  'statement.import',
  'statement.decide',
  'statement.sign',
  'payment.prune',
  'payment.unseal',
  'clock.doubt',
  'clock.steady',
  'clock.confirm',
  'database.migrate',
  'database.backup',
  'database.restore',
  'database.import',
  'master-key.rotate',
  'console.link',
  'console.login',
  'console.logout',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Whether retention may go by the clock: see operate/clock-watch.ts. */
export type ClockAction = Extract<AuditAction, `clock.${string}`>

/** One change, written in the commit that makes it. */
export interface AuditRow {
  /** Rises with every row. */
  id: number
  /** Milliseconds since the epoch. */
  at: number
  actorKind: 'operator' | 'partner' | 'hub'
  /** The name of the operator's person, the partner's client id, or `hub`. */
  actor: string
  action: AuditAction
  /** What was changed: a serial, a store id, a client id, a file. Empty when it is the whole database. */
  subject: string
  /**
   * Small. Never a secret, a code, a key, a token or a personal value. A changed value stands as [old, new]. `via` is
   * `console` when an operator has made the change there, and not at the command line.
   */
  details: Readonly<Record<string, unknown>>
}

export interface AuditFilter {
  /** The oldest instant, milliseconds. */
  since?: number | undefined
  /** An actor, or a kind of actor. */
  actor?: string | undefined
  /** The beginning of the action. */
  action?: string | undefined
  subject?: string | undefined
  /** The page before this row. */
  before?: number | undefined
  limit: number
}

/** The changes, for the operator. The acts of the other ports write them. */
export interface AuditRecords {
  /** The newest rows first. */
  list(filter: AuditFilter): Promise<AuditRow[]>
}
