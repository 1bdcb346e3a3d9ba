/** What the stand-in does otherwise than a hub, until the case ends. */
export interface Faults {
  /** Connections are closed as soon as they are accepted. */
  turnAway: boolean
  /** The code of every CONNACK; 0 lets the device in. */
  connack: number
  /** The connection is closed behind its CONNACK. */
  hangUp: boolean
  /** No SUBACK is sent. */
  withholdSuback: boolean
  /** Messages are not acknowledged: to the device they are not stored. */
  withholdPuback: boolean
  /** No welcome follows the birth. */
  withholdWelcome: boolean
  /** How far the stand-in's clock is behind, seconds. */
  clockBehindS: number
}

export const NO_FAULTS: Faults = {
  turnAway: false,
  connack: 0,
  hangUp: false,
  withholdSuback: false,
  withholdPuback: false,
  withholdWelcome: false,
  clockBehindS: 0,
}
