import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../../../platform/clock.ts'
import type { DeviceConfig } from '../../../speaker/device/state/state.ts'
import { volatileMemory } from '../../../speaker/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../../speaker/speaker.ts'
import type { FleetDevice } from '../devices/devices.ts'
import { Roster } from '../model/roster.ts'
import { startMoments } from './ramp.ts'

export interface FleetOptions {
  devices: readonly FleetDevice[]
  /** mqtt://, mqtts://, ws:// or wss://. */
  url: string
  /** How many begin to connect, a second. */
  connectRate: number
  config?: Partial<DeviceConfig>
  clock?: Clock
  /** [0, 1), for the jitter. */
  random?: () => number
}

/** What the fleet's listeners hear: a sentence begins, or a speaker has been welcomed. */
export interface FleetListener {
  announced?(index: number, amount: string, atMs: number): void
  connected?(index: number, linked: boolean): void
}

/** Many speakers in one process, each a whole one with a line of its own. */
export interface Fleet {
  readonly speakers: readonly Speaker[]
  readonly roster: Roster
  /** Lets them connect, one after another. */
  start(listener?: FleetListener): void
  /** Seconds until the last one begins to connect; 0 afterwards. */
  startsWithinS(): number
  /** Switches all of them off, with a goodbye to the hub. */
  stop(): Promise<void>
  /** Pulls all cables: no goodbye. */
  cut(): Promise<void>
}

/** How often it is looked whose turn it is to connect. One timer for all of them. */
const TICK_MS = 20
/**
 * Speakers that may be connecting at once before the others' turn is put off. A hub with time to spare answers within
 * its milliseconds and never sees so many; one that is behind would only see them time out and come again.
 */
const MOST_CONNECTING = 100
/** Goodbyes under way: each waits for the hub's PUBACK, and all at once would wait for each other. */
const GOODBYES_AT_ONCE = 250
/** Lines that are dropped in one turn of the event loop. */
const DROPS_AT_ONCE = 500

/**
 * Builds a fleet; nothing moves before `start`. Why its memory is not on the disk: a write that survives a power cut,
 * for each sentence of each of thousands of speakers, measures this machine's disk and not the hub. A speaker keeps
 * what it has played over every reconnect; with the process it is gone, as in a speaker fresh from the factory.
 */
export function createFleet(options: FleetOptions): Fleet {
  const { devices, url, connectRate, config = {}, clock = systemClock, random = Math.random } = options
  const roster = new Roster(devices.map(({ serial }) => serial))
  const speakers = devices.map(({ serial, key }) =>
    createSpeaker({ serial, key, url, memory: volatileMemory(), config, clock, random }),
  )
  const moments = startMoments(speakers.length, connectRate, random)
  /** When the first one's slot began, moved on by what was put off. */
  let startedAtMs: number | undefined
  let next = 0
  let cancel = () => {}

  function listen(listener: FleetListener) {
    for (const [index, speaker] of speakers.entries())
      speaker.subscribe((item) => {
        roster.on(index, item)
        if (item.kind !== 'event') return
        const { event } = item
        if (event.event === 'announce') listener.announced?.(index, event.amount, item.atMs)
        if (event.event === 'connected') listener.connected?.(index, event.linked)
      })
  }

  /** `fromMs` is when the first one's slot began; what was put off moves it on, so that nothing has to be made up. */
  function startDue(fromMs: number) {
    const nowMs = clock.now()
    let putOffMs = 0
    for (let due = moments[next]; due !== undefined && due <= nowMs - fromMs; due = moments[next]) {
      const { connecting, born } = roster.totals.links
      if (connecting + born >= MOST_CONNECTING) {
        putOffMs = nowMs - fromMs - due
        break
      }
      speakers[next]?.start()
      next += 1
    }
    if (next < speakers.length) cancel = clock.wakeAt(nowMs + TICK_MS, () => startDue(fromMs + putOffMs))
    startedAtMs = fromMs + putOffMs
  }

  return {
    speakers,
    roster,
    start(listener = {}) {
      listen(listener)
      startDue(clock.now())
    },
    startsWithinS() {
      const last = moments.at(-1)
      if (startedAtMs === undefined || last === undefined || next >= speakers.length) return 0
      return Math.max(0, (startedAtMs + last - clock.now()) / 1000)
    },
    async stop() {
      cancel()
      const rest = speakers.values()
      const work = async () => {
        for (const speaker of rest) await speaker.stop()
      }
      await Promise.all(Array.from({ length: GOODBYES_AT_ONCE }, work))
    },
    async cut() {
      cancel()
      for (let from = 0; from < speakers.length; from += DROPS_AT_ONCE) {
        await Promise.all(speakers.slice(from, from + DROPS_AT_ONCE).map((one) => one.cutNetwork()))
        await sleep(0)
      }
    },
  }
}
