/** What the middlewares leave for the handlers. */
export interface HttpEnv {
  Variables: {
    requestId: string
    /** The answer carries what all answers do; see `standing`. */
    isComplete: boolean | undefined
    /** The partner that the access token speaks for; set behind `authenticated`. */
    clientId: string
  }
}
