import type { ClientSecret, Partner } from './partner.ts'

/** Partners and their secrets, as the hub keeps them. */
export interface PartnerRecords {
  create(partner: Partner, secret: string): Promise<void>
  find(clientId: string): Promise<Partner | undefined>
  list(): Promise<Partner[]>
  /** Stops a partner at once: its tokens are refused from the next request on. False when there is no such partner. */
  disable(clientId: string, at: number): Promise<boolean>
  /**
   * Lets a disabled partner in again; tokens from before stay refused, whoever may hold them by then. False when there
   * is no such partner.
   */
  enable(clientId: string, at: number): Promise<boolean>
  /** Makes `secret` the newest; the one before it lives until `oldExpiresAt`, older ones end. */
  rotateSecret(clientId: string, secret: string, at: number, oldExpiresAt: number): Promise<boolean>
  /** The secrets that are live at `at`, newest first; at most two. */
  liveSecrets(clientId: string, at: number): Promise<ClientSecret[]>
}

/** What an access token proves. */
export interface AccessGrant {
  clientId: string
  expiresAt: number
  /** The partner was disabled. */
  disabled: boolean
}

/** A fresh pair of tokens, known to the records by hash alone. */
export interface TokenPair {
  accessHash: Buffer
  refreshHash: Buffer
  accessExpiresAt: number
}

export type Rotation =
  | { kind: 'rotated'; clientId: string; familyExpiresAt: number }
  | { kind: 'unknown' }
  | { kind: 'expired' }
  | { kind: 'disabled' }
  /** A token that was rotated away is used again: its whole family is now revoked. */
  | { kind: 'reused' }

/** Tokens in families: one family a login, its refresh tokens in generations. */
export interface TokenRecords {
  /** Starts a family with its first pair. */
  start(
    family: { id: string; clientId: string; expiresAt: number },
    pair: TokenPair,
    at: number,
  ): Promise<void>
  /** The grant of an access token; undefined when unknown, or its family is revoked. */
  grant(accessHash: Buffer): Promise<AccessGrant | undefined>
  /** Whose refresh token this is, if it may be exchanged at `at`; undefined for any other. */
  ownerOf(refreshHash: Buffer, at: number): Promise<string | undefined>
  /** Exchanges a refresh token for the next pair, by the rules of partners/rotation. One act. */
  rotate(refreshHash: Buffer, next: TokenPair, at: number): Promise<Rotation>
}
