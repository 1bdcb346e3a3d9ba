import type { Settings } from '../../protocol/messages/settings.ts'
import { clipsToText } from '../../protocol/money/sentence.ts'
import { type Display, displayOf } from './device/display.ts'
import { begunClips } from './device/state/clip-times.ts'
import type { Fault } from './device/state/faults.ts'
import { type DeviceState, type Link, NO_SIGNAL } from './device/state/state.ts'
import { vitalsOf } from './device/vitals.ts'

/** A speaker at one moment, for a view. */
export interface SpeakerSnapshot {
  serial: string
  /** Whether the speaker has power. Without power, only the display and the link change. */
  power: boolean
  display: Display
  link: Link['phase']
  /** While offline: milliseconds to the next attempt; undefined when none is planned. */
  retryInMs: number | undefined
  /** While offline: the reason. */
  offlineReason?: string
  /** Whether it is registered with a shop; false while it does not know. */
  linked: boolean
  /** The shop's name; empty while unknown or not registered. */
  shop: string
  settings: Settings
  /** Its faults, in the order of `FAULTS`. */
  faults: readonly Fault[]
  /** Percent. */
  battery: number
  /** dBm. */
  signal: number
  /** The current sound: a sentence, of which `said` has been spoken, or the beep of `identify`. */
  sounding:
    | { kind: 'sentence'; n: number; text: string; said: string; amount: string }
    | { kind: 'beep' }
    | undefined
  /** Queued sounds. */
  waiting: number
  /** The highest announcement number that was ever played. */
  played: number
}

/** Reads a snapshot from the device's state; `nowMs` is the speaker's own clock. */
export function snapshotOf(serial: string, state: DeviceState, nowMs: number): SpeakerSnapshot {
  const { link, sounding } = state
  const retryAtMs = link.phase === 'offline' ? link.retryAtMs : undefined
  return {
    serial,
    power: true,
    display: displayOf(state, nowMs),
    link: link.phase,
    retryInMs: retryAtMs === undefined ? undefined : Math.max(0, retryAtMs - nowMs),
    ...(link.phase === 'offline' ? { offlineReason: link.reason } : {}),
    linked: state.linked ?? false,
    shop: state.linked ? (state.profile?.name ?? '') : '',
    settings: state.memory.settings,
    faults: state.faults,
    ...vitalsOf(state, nowMs),
    sounding: sounding && soundingOf(state, sounding, nowMs),
    waiting: state.queue.length,
    played: state.memory.played,
  }
}

/**
 * The speaker without power: dark screen, no link, no sound. The rest is what it will find at switch-on. Switching on
 * charges the battery, except under `low-battery`, which keeps its percentage until it is repaired.
 */
export function switchedOff(snapshot: SpeakerSnapshot, batteryLeft: number): SpeakerSnapshot {
  const battery = snapshot.faults.includes('low-battery')
    ? Math.min(snapshot.battery, batteryLeft)
    : snapshot.battery
  const dead = { link: 'offline', retryInMs: undefined, sounding: undefined, waiting: 0 } as const
  const gauges = { battery, signal: NO_SIGNAL }
  return { ...snapshot, ...dead, ...gauges, power: false, display: { screen: 'off' } }
}

function soundingOf(
  { config }: DeviceState,
  { sound, sinceMs }: NonNullable<DeviceState['sounding']>,
  nowMs: number,
): SpeakerSnapshot['sounding'] {
  switch (sound.t) {
    case 'announce': {
      const { n, text, body } = sound
      const said = clipsToText(body.lang, begunClips(config, body, nowMs - sinceMs)) ?? text
      return { kind: 'sentence', n, text, said, amount: body.amount }
    }
    case 'identify':
      return { kind: 'beep' }
  }
}
