import { isUtf8 } from 'node:buffer'
import { when } from '../for-people.ts'

/** Bytes of a payload that are shown. */
const SHOWN_BYTES = 512
/** Characters of a name or topic that are shown. A topic may have 65,535 bytes. */
const SHOWN_CHARACTERS = 256

/** A payload as far as it is shown, as text or, if it is none, as hexadecimal digits. */
export interface Shown {
  bytes: number
  text?: string
  hex?: string
}

/** What a box says. Nothing here depends on the characters of its password. */
export type BoxEvent =
  | {
      event: 'connect'
      protocol: string
      clientId: string
      username?: string
      /** Left out when there is no password. */
      passwordBytes?: number
      clean: boolean
      /** Seconds. */
      keepalive: number
      will?: { topic: string; qos: number; retain: boolean } & Shown
    }
  | { event: 'subscribe'; filter: string; qos: number }
  | { event: 'unsubscribe'; filter: string }
  /** So many more topics were in the packet. */
  | { event: 'more_topics'; count: number }
  | ({ event: 'publish'; topic: string; qos: number; retain: boolean; dup: boolean } & Shown)
  | { event: 'ping' }
  | { event: 'disconnect' }
  | { event: 'closed'; why: string }

/** Who said it: the number of its connection since the start, and its address. */
export interface Speaking {
  connection: number
  address: string
}

export function shownText(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

export function shownPayload(payload: string | Buffer): Shown {
  const whole = Buffer.from(payload)
  const shown = whole.subarray(0, SHOWN_BYTES)
  const isText = isUtf8(whole) && !/(?![\t\r\n])\p{Cc}/u.test(whole.toString())
  return {
    bytes: whole.length,
    // The cut may have split the last character: the decoder keeps its bytes back.
    ...(isText
      ? { text: new TextDecoder().decode(shown, { stream: true }) }
      : { hex: shown.toString('hex') }),
  }
}

/** An event as a line for people. */
export function describeBoxEvent(at: number, { connection, address }: Speaking, said: BoxEvent): string {
  return `${when(at)}  #${connection} ${address}  ${factsOf(said).join('  ')}`
}

function factsOf(facts: object): string[] {
  return Object.entries(facts).map(([name, value]) => {
    if (name === 'event' || name === 'why') return String(value)
    if (typeof value === 'object') return `${name} (${factsOf(value).join('  ')})`
    return `${name} ${JSON.stringify(value)}`
  })
}
