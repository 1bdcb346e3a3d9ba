/** A payment company that calls the API: a client id and one or two live secrets. */
export interface Partner {
  clientId: string
  name: string
  /** Milliseconds; undefined while the partner may use the API. */
  disabledAt: number | undefined
  createdAt: number
}

/** A client secret: the password of a login and the HMAC key of the callback checksum. */
export interface ClientSecret {
  secret: string
  /** Milliseconds; undefined for the newest secret, set for the old one after a rotation. */
  expiresAt: number | undefined
}

/** A partner has at most this many live secrets: the newest, and the one that it replaces for a while. */
export const MAX_LIVE_SECRETS = 2

/** From when, and until when, a secret is live. */
export interface SecretTerm {
  createdAt: number
  /** Undefined for the newest secret. */
  expiresAt: number | undefined
}

/** The secrets that are live at `at`, newest first. */
export function liveSecrets<S extends SecretTerm>(secrets: readonly S[], at: number): S[] {
  return secrets
    .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at)
    .sort((a, b) => b.createdAt - a.createdAt)
    .slice(0, MAX_LIVE_SECRETS)
}

/**
 * The secrets that end because a new one is added at `at`, each with its end: the newest lives on until
 * `oldExpiresAt`, and one that an earlier rotation left alive ends now. A third secret is never live.
 */
export function endingSecrets<S extends SecretTerm>(
  secrets: readonly S[],
  at: number,
  oldExpiresAt: number,
): { secret: S; expiresAt: number }[] {
  return secrets.flatMap((secret) => {
    if (secret.expiresAt === undefined) return [{ secret, expiresAt: oldExpiresAt }]
    return secret.expiresAt > at ? [{ secret, expiresAt: at }] : []
  })
}
