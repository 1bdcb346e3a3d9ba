import type { Birth } from '../../messages/birth.ts'
import type { Reading } from './read.ts'

/** How the stand-in differs from a hub, until the case ends. */
export interface Faults {
  /** Close each connection as soon as it is accepted. */
  turnAway: boolean
  /** The return code of every CONNACK. 0 accepts the device. */
  connack: number
  /** Only CONNECTs with this key get that return code; undefined: all. */
  connackFor: 'old' | 'new' | undefined
  /** Close the connection after the birth. */
  hangUp: boolean
  /** Send no CONNACK. */
  withholdConnack: boolean
  /** Send no SUBACK. */
  withholdSuback: boolean
  /** The return code of a SUBACK that does not grant QoS 1. Undefined: it does. */
  refuseSuback: number | undefined
  /** Send no PINGRESP. */
  withholdPingresp: boolean
  /** Send no PUBACK, so that the device must assume that its messages are not stored: to none, or to acks of a stage. */
  withholdPuback: boolean | string
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
  refuseSuback: undefined,
  withholdPingresp: false,
  withholdPuback: false,
  withholdWelcome: false,
  settingsInWelcome: 'same',
  clockBehindS: 0,
}

export function isPubackWithheld({ kind, says }: Reading, { withholdPuback }: Faults): boolean {
  return typeof withholdPuback === 'boolean' ? withholdPuback : kind === 'ack' && says.st === withholdPuback
}

/** The version of the settings in the welcome. */
export function settingsIn({ settings }: Birth, { settingsInWelcome }: Faults): { settings?: number } {
  if (settingsInWelcome === 'none') return {}
  return { settings: settingsInWelcome === 'same' ? settings : settings + 1 }
}
