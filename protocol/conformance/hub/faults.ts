/** How the stand-in differs from a hub, until the case ends. */
export interface Faults {
  /** Close each connection as soon as it is accepted. */
  turnAway: boolean
  /** The return code of every CONNACK. 0 accepts the device. */
  connack: number
  /** Only CONNECTs with this key get that return code; undefined: all. */
  connackFor: 'old' | 'new' | undefined
  /** Close the connection after the CONNACK. */
  hangUp: boolean
  /** Send no CONNACK. */
  withholdConnack: boolean
  /** Send no SUBACK. */
  withholdSuback: boolean
  /** Send no PUBACK, so that the device must assume that its messages are not stored. */
  withholdPuback: boolean
  /** Only for acks of this stage; undefined: for all messages. */
  withholdPubackOf: string | undefined
  /** Send no welcome after the birth. */
  withholdWelcome: boolean
  /** Which version of the settings the welcome says: that of the birth, none, or another one. */
  settingsInWelcome: 'same' | 'none' | 'other'
  /** By how many seconds the stand-in's clock is behind. */
  clockBehindS: number
}

export const NO_FAULTS: Faults = {
  turnAway: false,
  connack: 0,
  connackFor: undefined,
  hangUp: false,
  withholdConnack: false,
  withholdSuback: false,
  withholdPuback: false,
  withholdPubackOf: undefined,
  withholdWelcome: false,
  settingsInWelcome: 'same',
  clockBehindS: 0,
}
