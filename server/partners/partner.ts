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
  /** Milliseconds; undefined for the newest, set for the one that a rotation is phasing out. */
  expiresAt: number | undefined
}
