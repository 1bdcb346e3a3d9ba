import type { Actor } from '../security/actor.ts'
import type { ClientSecret, Partner } from './partner.ts'
import type { RefreshVerdict } from './rotation.ts'

/** The stored partners and their secrets. */
export interface PartnerRecords {
  create(by: Actor, partner: Partner, secret: string): Promise<void>
  find(clientId: string): Promise<Partner | undefined>
  list(): Promise<Partner[]>
  /** Refuses the partner's tokens from the next request on. False when the partner does not exist. */
  disable(by: Actor, clientId: string, at: number): Promise<boolean>
  /**
   * Enables a disabled partner. Its earlier tokens stay refused, because somebody else may hold them by now. False when
   * the partner does not exist.
   */
  enable(by: Actor, clientId: string, at: number): Promise<boolean>
  /** Makes `secret` the newest. The one before expires at `oldExpiresAt`; older ones expire now. */
  rotateSecret(
    by: Actor,
    clientId: string,
    secret: string,
    at: number,
    oldExpiresAt: number,
  ): Promise<boolean>
  /** The secrets that are live at `at`, newest first; at most two. */
  liveSecrets(clientId: string, at: number): Promise<ClientSecret[]>
}

/** The rights of an access token. */
export interface AccessGrant {
  clientId: string
  expiresAt: number
  disabled: boolean
}

/** A new pair of tokens; only their hashes are stored. */
export interface TokenPair {
  accessHash: Buffer
  refreshHash: Buffer
  accessExpiresAt: number
}

export type Rotation =
  | { kind: 'rotated'; clientId: string; familyExpiresAt: number }
  /** `reused`: a replaced token was used again, and its whole family is now revoked. */
  | { kind: 'unknown' | 'expired' | 'disabled' | 'reused' }

/** Token families: one for each login, with its refresh tokens in generations. */
export interface TokenRecords {
  /** Starts a family with its first pair. */
  start(
    by: Actor,
    family: { id: string; clientId: string; expiresAt: number },
    pair: TokenPair,
    at: number,
  ): Promise<void>
  /** Undefined when the access token is unknown or its family is revoked. */
  grant(accessHash: Buffer): Promise<AccessGrant | undefined>
  /** What happens to a refresh token that is presented at `at`; undefined when it is unknown. */
  judge(refreshHash: Buffer, at: number): Promise<{ clientId: string; verdict: RefreshVerdict } | undefined>
  /** Exchanges a refresh token for the next pair, by the rules of rotation.ts. One transaction. */
  rotate(by: Actor, refreshHash: Buffer, next: TokenPair, at: number): Promise<Rotation>
}
