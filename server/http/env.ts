/** What the middlewares leave for the handlers. */
export interface HttpEnv {
  Variables: {
    requestId: string
    /** The partner that the access token speaks for; set behind `authenticated`. */
    clientId: string
  }
}
