import type { Language } from '../../../protocol/money/language.ts'
import type { BoxFault } from './faults.ts'
import type { Pack } from './pack.ts'

/** How one box is set up at the factory or by its operator. */
export interface BoxConfig {
  serial: string
  /** Sent as it is. Undefined: the login that the kind computes or has by itself. */
  password: string | undefined
  /** The product that the maker has registered (morefun, alink). */
  productKey: string
  /** The key of a computed password: of the product (morefun) or of the device (alink). */
  secret: string
  /** The topic that it listens on, in place of the kind's own. */
  topic: string | undefined
  /** The language of its voice and its screen. */
  lang: Language
  /** The clips that were flashed (clip-numbers). */
  packs: readonly Pack[]
  /** The `play_status` that it reports after a sound (hemipay). Undefined: it reports none. */
  playReport: string | undefined
  /** How long a word lasts. */
  wordMs: number
  /** How long it is without power after `dies-before-reply`. */
  deadMs: number
}

/** A sound that waits or is heard. */
export interface Sound {
  text: string
  lang: Language
  /** Set when the sentence says a whole amount in đồng. */
  amount?: string
  /** Set when the sound is the six digits of a verification. */
  code?: string
  /** The maker's id of the message that asks for it. */
  id?: string
  /** The power fails when it has ended. */
  deadly?: boolean
}

/** What is on the display, if the box has one. */
export type Screen =
  | { screen: 'home' }
  | { screen: 'qr'; qr: string; bill: string; amount?: string; label: string; untilMs?: number }
  | { screen: 'code'; code: string; untilMs?: number }
  | { screen: 'amount'; amount: string; untilMs: number }

export interface Keypad {
  /** The digits so far. */
  typed: string
  /** The amount that was sent; the screen says "connecting" until it is answered and a bill comes. */
  asked?: { id: string; amount: string; answered: boolean }
}

export interface BoxState {
  config: BoxConfig
  faults: readonly BoxFault[]
  link:
    | { phase: 'connecting' | 'online' }
    | { phase: 'offline'; reason: string; retryAtMs: number | undefined }
  screen: Screen
  home: { lines: readonly string[]; qr: string }
  keypad: Keypad
  playing: (Sound & { n: number; startsAtMs: number; endsAtMs: number }) | undefined
  queue: readonly Sound[]
  /** Sounds that have begun since the power came. */
  sounds: number
  /** Ids that it knows, the newest last. Lost with the power. */
  ids: readonly string[]
  /** The text on a display of digits. */
  digits: string
  beatAtMs: number | undefined
  /** Counts the messages that it has sent. */
  sent: number
}

/** A box whose power has just come: everything else was in RAM. */
export function bootedBox(config: BoxConfig, faults: readonly BoxFault[]): BoxState {
  return {
    config,
    faults,
    link: { phase: 'offline', reason: 'it starts', retryAtMs: undefined },
    screen: { screen: 'home' },
    home: { lines: [], qr: '' },
    keypad: { typed: '' },
    playing: undefined,
    queue: [],
    sounds: 0,
    ids: [],
    digits: '',
    beatAtMs: undefined,
    sent: 0,
  }
}

/** What happens to a box. */
export type BoxEvent =
  | { type: 'connecting' }
  /** The CONNACK has come. */
  | { type: 'connected' }
  /** The SUBACK has come. */
  | { type: 'subscribed' }
  | { type: 'closed'; reason: string; code?: number | string | undefined; retryInMs: number | undefined }
  | { type: 'message'; topic: string; payload: string; bytes: number }
  /** A key of the keypad: a digit, `000`, `enter`, `back` or `clear`. */
  | { type: 'key'; key: string }
  | { type: 'fault'; fault: BoxFault; on: boolean }
  | { type: 'tick' }
