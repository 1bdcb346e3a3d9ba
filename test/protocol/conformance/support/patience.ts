/**
 * Timings of a profile for a device on this machine, which the machine may stop for some seconds. All of them end waits
 * for what comes, so they cost a right device nothing.
 */
export const PATIENCE = { answerMs: 60_000, speechMs: 120_000, reconnectMs: 60_000 }
