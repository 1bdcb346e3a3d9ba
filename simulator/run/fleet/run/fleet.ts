import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../../../platform/clock.ts'
import type { DeviceConfig } from '../../../speaker/device/state/state.ts'
import { volatileMemory } from '../../../speaker/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../../speaker/speaker.ts'
import { boxSpeakerOf } from '../../hub/box-device.ts'
import type { FleetDevice } from '../devices/devices.ts'
import { Announcements, type Sentence } from '../model/announcements.ts'
import { Roster } from '../model/roster.ts'
import { startMoments } from './ramp.ts'

export interface FleetOptions {
  devices: readonly FleetDevice[]
  /** mqtt://, mqtts://, ws:// or wss://. */
  url: string
  /** mqtt://, of the listener for boxes. */
  boxUrl?: string
  /** Speakers that start to connect per second. */
  connectRate: number
  config?: Partial<DeviceConfig>
  /** What differs in one speaker, by its index. */
  configOf?: (index: number) => Partial<DeviceConfig>
  clock?: Clock
  /** [0, 1), for the jitter. */
  random?: () => number
}

/** Called when a sentence starts, when a speaker is welcomed, and when it shows a QR. */
export interface FleetListener {
  announced?(index: number, sentence: Sentence): void
  connected?(index: number, linked: boolean): void
  /** It shows the QR of a bill. */
  shown?(bill: string, atMs: number): void
}

/** Many complete speakers in one process, each with its own connection. */
export interface Fleet {
  readonly speakers: readonly Speaker[]
  readonly roster: Roster
  /** Starts the speakers one after another. */
  start(listener?: FleetListener): void
  /** Seconds until the last speaker starts to connect; 0 afterwards. */
  startsWithinS(): number
  /** Stops all speakers, with `bye`. */
  stop(): Promise<void>
  /** Cuts all connections without `bye`, and switches all speakers off. */
  cut(): Promise<void>
}

/** How often due speakers are started, with one timer for all. */
const TICK_MS = 20
/**
 * The most speakers that connect at the same time; the others wait. A healthy hub answers within milliseconds and never
 * reaches it; on an overloaded hub, more attempts would only time out and retry.
 */
const MOST_CONNECTING = 100
/** Concurrent clean disconnects: each waits for the hub's PUBACK, and all at once would delay each other. */
const GOODBYES_AT_ONCE = 250
/** Connections dropped in one turn of the event loop. */
const DROPS_AT_ONCE = 500

/**
 * Builds a fleet; nothing happens before `start`. Its memory is not on disk: a durable write per sentence of thousands
 * of speakers would measure this machine's disk instead of the hub. A speaker keeps `played` across reconnects, and
 * loses it with the process, like a factory-new one.
 */
export function createFleet(options: FleetOptions): Fleet {
  const { devices, url, boxUrl = url, connectRate, config = {}, configOf = () => ({}) } = options
  const { clock = systemClock, random = Math.random } = options
  const roster = new Roster(devices.map(({ serial }) => serial))
  const speakers = devices.map((device, index) => {
    if (device.box) return boxSpeakerOf(device.box, { url: boxUrl, clock, random })
    const { serial, key } = device
    const own = { ...config, ...configOf(index) }
    return createSpeaker({ serial, key, url, memory: volatileMemory(), config: own, clock, random })
  })
  const moments = startMoments(speakers.length, connectRate, random)
  /** When the first slot began, shifted by the time that speakers had to wait. */
  let startedAtMs: number | undefined
  let next = 0
  let cancel = () => {}

  /** `fromMs` is when the first slot began. Waiting shifts it, so that no speakers have to catch up. */
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
      listen(speakers, roster, listener)
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
        await Promise.all(speakers.slice(from, from + DROPS_AT_ONCE).map(pullOut))
        await sleep(0)
      }
    },
  }
}

function listen(speakers: readonly Speaker[], roster: Roster, listener: FleetListener): void {
  const announcements = new Announcements()
  for (const [index, speaker] of speakers.entries())
    speaker.subscribe((item) => {
      roster.on(index, item)
      const sentence = announcements.on(index, item)
      if (sentence) listener.announced?.(index, sentence)
      if (item.kind !== 'event') return
      const { event } = item
      if (event.event === 'qr') listener.shown?.(event.bill, item.atMs)
      if (event.event === 'connected') listener.connected?.(index, event.linked)
    })
}

/** A speaker without its cable goes on: a notice of missed payments on its screen has a timer of ten minutes. */
async function pullOut(speaker: Speaker): Promise<void> {
  await speaker.cutNetwork()
  await speaker.stop()
}
