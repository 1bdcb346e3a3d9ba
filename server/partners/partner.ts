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
