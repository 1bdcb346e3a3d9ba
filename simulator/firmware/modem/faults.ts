/** The state of the registration, as `+CEREG` reports it: 1 home, 2 searching, 3 denied, 5 roaming. */
export type Registration = 1 | 2 | 3 | 5

/** What is wrong with the module, its line and its UART. Each can change at any time. */
export interface Faults {
  /** Milliseconds that each segment takes to the hub, and from it. */
  upMs: number
  downMs: number
  /** Segments from the hub arrive together, at multiples of this many milliseconds; 0: each at its own time. */
  burstMs: number
  /** Nothing passes either way, and no FIN. What was under way arrives when it ends. */
  silence: boolean
  registration: Registration
  /** No name is resolved. */
  noDns: boolean
  /** There is no SIM card. */
  noSim: boolean
  /** `recv` is never announced. */
  unannounced: boolean
  /** So many answers to come are carried out and never sent. */
  lostAnswers: number
  /** So many prompts to come are never sent. */
  lostPrompts: number
  /** So many QISEND to come end with SEND FAIL. */
  sendFails: number
  /** So many bytes to come are lost on the UART, to the module and from it. */
  lostUp: number
  lostDown: number
}

export const NO_FAULTS: Faults = {
  ...{ upMs: 0, downMs: 0, burstMs: 0, silence: false, registration: 1 },
  ...{ noDns: false, noSim: false, unannounced: false },
  ...{ lostAnswers: 0, lostPrompts: 0, sendFails: 0, lostUp: 0, lostDown: 0 },
}

/** Whether segments pass: a module that is not registered has no line. */
export function isReachable({ silence, registration }: Faults): boolean {
  return !silence && (registration === 1 || registration === 5)
}
