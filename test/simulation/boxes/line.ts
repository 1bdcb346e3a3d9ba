import type { Clock } from '../../../server/platform/clock.ts'
import type { Login } from '../../../simulator/boxes/core/firmware.ts'
import type { Hub } from '../hub/hub.ts'
import type { Departure } from '../hub/socket.ts'
import type { Dice } from '../kit/dice.ts'
import { drawPassage, PROMPT_MS, type Weather } from '../speaker/weather.ts'
import type { BoxEndWatch } from './oracle/ends.ts'
import { type BoxMessage, type BoxSocket, openBoxSocket } from './socket.ts'

/** A box waits so long for a CONNACK. */
const CONNECTED_WITHIN_MS = 10_000
/** A broker that does not notice in time that a box is silent notices by then. */
const LATEST_NOTICE_MS = 300_000

export interface BoxLineListener {
  /** The CONNACK is here. */
  connected(): void
  /** The SUBACK is here. */
  subscribed(): void
  /** A PUBLISH has come. False: no PUBACK is sent. */
  message(message: BoxMessage, left: Departure): boolean
  /** Exactly once, unless the box hangs up. */
  ended(why: 'lost' | 'refused'): void
}

/**
 * One connection of a box: TCP keeps the order, and doubles nothing. A message may be lost while the connection stands,
 * as if the box had no room for it.
 */
export interface BoxLine {
  subscribe(topic: string, qos: 0 | 1): void
  publish(topic: string, payload: string, qos: 0 | 1): void
  /** What is under way is lost, and both ends notice before long. */
  break(): void
  /** As `break`, in silence: both ends go on until their patience ends. */
  goDead(): void
  /** Nothing passes for so long, in either direction. What waits passes then, unless the hub has reset the connection. */
  stall(ms: number): void
  /** The next PUBACKs of the box are lost. */
  loseConfirms(count: number): void
  /** The box is gone, without a word. */
  hangUp(): void
  /** Nothing was lost or late so far. */
  isFlawless(): boolean
  hub(): Hub | undefined
  /** Its hub has been no good until now. */
  disturb(): void
  disturbedAt(): number
}

export interface BoxLineDeps {
  hub: (serial: string) => Hub | undefined
  /** A connection of the box begins at this hub. */
  watch: (hub: Hub) => BoxEndWatch
  clock: Clock
  dice: Dice
  weather: Weather
  serial: string
  login: Login
  listener: BoxLineListener
}

export function openBoxLine(deps: BoxLineDeps): BoxLine {
  const { clock, dice, weather, login, listener } = deps
  const giveUpMs = 1.5 * login.keepaliveS * 1_000
  let isEnded = false
  let isDead = false
  let isStalled = false
  let isConnected = false
  let flawless = true
  let confirmsToLose = 0
  let hub: Hub | undefined
  let disturbedAt = Number.NEGATIVE_INFINITY
  let socket: BoxSocket | undefined
  let cancelPing = () => {}
  const lastArrival = { up: 0, down: 0 }
  /** What waits for the end of a stall, in order. */
  let held: (() => void)[] = []

  function end(why: 'lost' | 'refused') {
    if (isEnded) return
    isEnded = true
    isDead = true
    cancelPing()
    listener.ended(why)
  }

  function arrive(act: () => void) {
    if (isDead) return
    if (isStalled) held.push(() => arrive(act))
    else act()
  }

  /** `isSure`: what the connection itself needs. */
  function carry(way: 'up' | 'down', act: () => void, isSure = false) {
    const { delayMs, lost } = drawPassage(dice, weather)
    const isLost = lost && !isSure
    if (isLost || delayMs > PROMPT_MS) flawless = false
    if (isLost || isDead) return
    const arriveAt = Math.max(lastArrival[way], clock.elapsed() + delayMs)
    lastArrival[way] = arriveAt
    clock.after(arriveAt - clock.elapsed(), () => arrive(act))
  }

  function receive(message: BoxMessage, left: Departure) {
    carry('down', () => {
      const isConfirmed = listener.message(message, left)
      if (isConfirmed && confirmsToLose === 0) return carry('up', () => socket?.confirm(message.messageId))
      if (isConfirmed) confirmsToLose -= 1
      flawless = false
    })
  }

  /** The hub has ended it. */
  function endedByHub(how: 'reset' | 'closed') {
    flawless = false
    if (how === 'reset') return breakOff(1_000)
    carry('down', () => end('lost'), true)
  }

  async function connect() {
    if (isDead) return end('lost')
    hub = deps.hub(deps.serial)
    if (!hub) return end('lost')
    if (hub.isFrozen()) clock.after(CONNECTED_WITHIN_MS, () => isConnected || breakOff(0))
    socket = openBoxSocket({
      ...{ hub, clock, login, watch: deps.watch(hub) },
      far: { message: receive, confirmed: () => undefined, ended: endedByHub },
    })
    const answer = await socket.connect()
    if (answer !== 'admitted') return end(answer === 'refused' ? 'refused' : 'lost')
    if (isDead) return hubNotices(giveUpMs)
    clock.after(dice.between(5, PROMPT_MS), () => {
      if (isDead) return
      isConnected = true
      ping()
      listener.connected()
    })
  }

  function ping() {
    if (!isDead && !isStalled) socket?.ping()
    cancelPing = clock.after(0.8 * login.keepaliveS * 1_000, ping)
  }

  function hubNotices(withinMs: number) {
    clock.after(dice.between(0, withinMs), () => socket?.lost())
  }

  function hubNoticesSilence() {
    hubNotices(dice.chance(0.7) ? giveUpMs : LATEST_NOTICE_MS)
  }

  function breakOff(withinMs: number) {
    isDead = true
    held = []
    flawless = false
    clock.after(dice.between(0, withinMs), () => end('lost'))
  }

  clock.after(dice.between(5, PROMPT_MS), () => void connect())

  return {
    isFlawless: () => flawless && !isDead && !isStalled,
    hub: () => hub,
    disturb() {
      disturbedAt = clock.elapsed()
    },
    disturbedAt: () => disturbedAt,

    subscribe(topic, qos) {
      const opened = () => listener.subscribed()
      carry(
        'up',
        () => {
          socket?.subscribe(topic, qos)
          carry('down', opened, true)
        },
        true,
      )
    },

    publish: (topic, payload, qos) => carry('up', () => socket?.publish(topic, payload, qos)),

    break() {
      hubNotices(1_000)
      breakOff(1_000)
    },

    goDead() {
      hubNoticesSilence()
      breakOff(giveUpMs)
    },

    stall(ms) {
      flawless = false
      isStalled = true
      clock.after(ms, () => {
        isStalled = false
        for (const act of held.splice(0)) act()
      })
    },

    loseConfirms(count) {
      confirmsToLose = count
    },

    hangUp() {
      isEnded = true
      isDead = true
      held = []
      flawless = false
      cancelPing()
      hubNoticesSilence()
    },
  }
}
