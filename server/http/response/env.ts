/** The variables that middlewares set for the handlers. */
export interface HttpEnv {
  Variables: {
    requestId: string
    /** The response already carries every common header; see `completeJson`. */
    isComplete: boolean | undefined
    /** The partner that the access token belongs to; set by `authenticated`. */
    clientId: string
    /** The parsed body; set by `jsonBody`. */
    body: object
  }
}
