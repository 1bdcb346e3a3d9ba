import type { BoxConfig } from './state.ts'
import type { Turn } from './turn.ts'

/** The CONNECT of a box. */
export interface Login {
  clientId: string
  username: string
  password: string
  clean: boolean
  keepaliveS: number
  will?: { topic: string; payload: string; qos: 0 | 1; retain: boolean }
}

/** What one kind of box does; `step` calls it. Its functions change nothing but the turn. */
export interface Firmware {
  /** Who makes it, and what it is called. */
  model: string
  /** What is drawn: a screen with a keypad, a horn with digits, a screen, or a horn alone. */
  picture: 'keypad' | 'digits' | 'screen' | 'horn'
  login(config: BoxConfig): Login
  /** The topic that it listens on. */
  topic(config: BoxConfig): string
  /** What it does at the CONNACK and at the SUBACK. */
  connected?(turn: Turn): void
  subscribed?(turn: Turn): void
  heard(turn: Turn, message: { topic: string; payload: string; bytes: number }): void
  /** A sound has ended. */
  ended?(turn: Turn, sound: { id?: string }): void
  /** A key of the keypad was pressed. */
  keyed?(turn: Turn, key: string): void
  /** The time of `beatAtMs` has come. */
  beat?(turn: Turn): void
}
