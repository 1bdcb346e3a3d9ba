import type { UpKind } from '../../../protocol/topics.ts'
import type { Clock } from '../../../server/platform/clock.ts'
import type { Connection, Hello, LineBroker } from '../hub/broker.ts'
import type { Dice } from '../kit/dice.ts'
import { drawPassage, PROMPT_MS, type Weather } from './weather.ts'

/** The keepalive and a half, after which either side gives up a line on which it hears nothing. */
const GIVE_UP_MS = 45_000

export interface LineListener {
  /** The SUBACK is here. */
  opened(): void
  /** A PUBLISH on the down topic has come, so long after it was sent. */
  message(payload: Buffer, delayMs: number): void
  /** Exactly once, unless the device hangs up: there is no line, or no longer. */
  ended(why: 'lost' | 'refused'): void
}

/** One connection of a device over a network that loses, delays and doubles, and that breaks with or without a sign. */
export interface Line {
  /** Sends; `stored` is called when the PUBACK is here. */
  publish(kind: UpKind, payload: Buffer, stored: () => void): void
  /** Breaks it: what is under way is lost, and both ends notice before long. */
  break(): void
  /** Breaks it in silence: both ends go on as if it stood, until their patience ends. */
  goDead(): void
  /** The device is gone, without a word. */
  hangUp(): void
  /** Nothing was lost or late so far. */
  isFlawless(): boolean
}

export interface LineDeps {
  /** The hub that is there now; undefined while there is none. */
  broker: () => { broker: LineBroker; isAlive: () => boolean } | undefined
  clock: Clock
  dice: Dice
  weather: Weather
  hello: Hello
  listener: LineListener
}

export function openLine({ broker, clock, dice, weather, hello, listener }: LineDeps): Line {
  let state: 'connecting' | 'open' | 'ended' = 'connecting'
  /** Nothing passes any more, in either direction. */
  let isDead = false
  let flawless = true
  let connection: Connection | undefined
  /** MQTT keeps the order within a topic on one connection, and TCP that of all. */
  const lastArrival = { up: 0, down: 0 }

  function end(why: 'lost' | 'refused') {
    if (state === 'ended') return
    state = 'ended'
    isDead = true
    listener.ended(why)
  }

  /** Carries something over, in order with what went before; what breaks the line on the way loses it. */
  function carry(way: 'up' | 'down', arrive: (delayMs: number) => void) {
    const { delayMs, lost, doubled } = drawPassage(dice, weather)
    if (lost || delayMs > PROMPT_MS) flawless = false
    if (lost || isDead) return
    const arriveAt = Math.max(lastArrival[way], clock.now() + delayMs)
    lastArrival[way] = arriveAt
    const wayMs = arriveAt - clock.now()
    const deliver = () => {
      if (!isDead) arrive(wayMs)
    }
    clock.after(wayMs, deliver)
    if (doubled) clock.after(wayMs, deliver)
  }

  async function connect() {
    const hub = broker()
    if (!hub?.isAlive() || isDead) return end('lost')
    const admitted = await hub.broker
      .connect(hello, {
        write: (frame) => carry('down', (delayMs) => listener.message(frame, delayMs)),
        closed: () => breakOff(1_000),
      })
      // The credentials can't be read: CONNACK 3 (sb/1 1.7).
      .catch(() => 'unavailable' as const)
    if (admitted === 'unavailable') return end('lost')
    if (!admitted) return end('refused')
    connection = admitted
    // Broken while it was being made: the hub will notice as late as that of any line.
    if (isDead) return hubNotices(GIVE_UP_MS)
    clock.after(dice.between(5, PROMPT_MS), () => {
      if (isDead || state !== 'connecting') return
      state = 'open'
      listener.opened()
    })
  }

  function hubNotices(withinMs: number) {
    clock.after(dice.between(0, withinMs), () => connection?.lost())
  }

  /** Nothing passes from here on; the device notices within a while. */
  function breakOff(withinMs: number) {
    isDead = true
    flawless = false
    clock.after(dice.between(0, withinMs), () => end('lost'))
  }

  clock.after(dice.between(5, PROMPT_MS), () => void connect())

  return {
    isFlawless: () => flawless && !isDead,

    publish(kind, payload, stored) {
      carry('up', () => {
        void connection?.publish(kind, payload).then((isStored) => {
          if (isStored) carry('down', stored)
        })
      })
    },

    break() {
      hubNotices(1_000)
      breakOff(1_000)
    },

    goDead() {
      hubNotices(GIVE_UP_MS)
      breakOff(GIVE_UP_MS)
    },

    hangUp() {
      state = 'ended'
      isDead = true
      flawless = false
      hubNotices(GIVE_UP_MS)
    },
  }
}
