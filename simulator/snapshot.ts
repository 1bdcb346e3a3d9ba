import type { Settings } from '../protocol/messages/settings.ts'
import { type Display, displayOf } from './device/display.ts'
import type { DeviceState, Link, Sound } from './device/state.ts'

/** A speaker at one moment, for whoever shows it. */
export interface SpeakerSnapshot {
  serial: string
  display: Display
  link: Link['phase']
  /** While offline: milliseconds to the next attempt; undefined when none is planned. */
  retryInMs: number | undefined
  /** The shop's name; empty while unknown or not registered. */
  shop: string
  settings: Settings
  /** What is being heard: the sentence, or the beep of `identify`. */
  sounding: { kind: 'sentence'; text: string; amount: string } | { kind: 'beep' } | undefined
  /** Sounds that wait behind it. */
  waiting: number
  /** The highest announcement number ever played. */
  played: number
}

/** Reads the snapshot off the device's state; `nowMs` is the speaker's own clock. */
export function snapshotOf(serial: string, state: DeviceState, nowMs: number): SpeakerSnapshot {
  const { link, sounding } = state
  const retryAtMs = link.phase === 'offline' ? link.retryAtMs : undefined
  return {
    serial,
    display: displayOf(state, nowMs),
    link: link.phase,
    retryInMs: retryAtMs === undefined ? undefined : Math.max(0, retryAtMs - nowMs),
    shop: state.linked ? (state.profile?.name ?? '') : '',
    settings: state.memory.settings,
    sounding: sounding && soundOf(sounding.sound),
    waiting: state.queue.length,
    played: state.memory.played,
  }
}

function soundOf(sound: Sound) {
  switch (sound.t) {
    case 'announce':
      return { kind: 'sentence', text: sound.text, amount: sound.body.amount } as const
    case 'identify':
      return { kind: 'beep' } as const
  }
}
