import type { Fault } from '../../speaker/device/state/faults.ts'
import { NO_SIGNAL } from '../../speaker/device/state/state.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import type { Meaning } from '../drawing/theme.ts'

/** A sign and a word; each alone carries the meaning. */
export interface Indicator {
  sign: string
  word: string
  meaning: Meaning
}

/** The lights along the device's edge: power, line, shop, alarm. An alarm blinks with the beat. */
export function lightsOf(speaker: SpeakerSnapshot, beat = 0): Indicator[] {
  if (!speaker.power)
    return [
      { sign: '✕', word: isEmpty(speaker) ? 'empty' : 'no power', meaning: 'bad' },
      ...['line', 'shop', 'alarm'].map((word) => ({ sign: '○', word, meaning: 'quiet' }) as const),
    ]
  return [
    { sign: '●', word: 'power', meaning: 'good' },
    lineLight(speaker),
    shopLight(speaker),
    alarmLight(speaker, beat),
  ]
}

/** The lights that fit, and the gap between them. The power light is dropped first, while the power is on. */
export function fittingLights(
  lights: readonly Indicator[],
  columns: number,
): { lights: readonly Indicator[]; gap: 1 | 2 } {
  const cells = lights.reduce((sum, { sign, word }) => sum + sign.length + 1 + word.length, 0)
  if (cells + 2 * (lights.length - 1) <= columns) return { lights, gap: 2 }
  return { lights: cells + lights.length - 1 <= columns ? lights : lights.slice(1), gap: 1 }
}

function lineLight({ link }: SpeakerSnapshot): Indicator {
  switch (link) {
    case 'welcomed':
      return { sign: '●', word: 'online', meaning: 'good' }
    case 'connecting':
    case 'born':
      return { sign: '◌', word: 'joining', meaning: 'plain' }
    case 'offline':
      return { sign: '✕', word: 'offline', meaning: 'bad' }
  }
}

function shopLight({ linked }: SpeakerSnapshot): Indicator {
  return linked
    ? { sign: '●', word: 'shop', meaning: 'good' }
    : { sign: '○', word: 'no shop', meaning: 'quiet' }
}

/** Whether the alarm blinks. */
export function isAlarm(speaker: SpeakerSnapshot): boolean {
  return speaker.power && alarmOf(speaker) !== undefined
}

function alarmLight(speaker: SpeakerSnapshot, beat: number): Indicator {
  const reason = alarmOf(speaker)
  if (reason === undefined) return { sign: '○', word: 'alarm', meaning: 'quiet' }
  return { sign: beat % 2 === 0 ? '▲' : '△', word: reason, meaning: 'notice' }
}

/** What the device says at a glance: money, a line that is down, something to look at. */
export function moodOf(speaker: SpeakerSnapshot): Meaning {
  const { power, link, display, sounding } = speaker
  if (!power) return 'quiet'
  if (sounding?.kind === 'sentence' || display.screen === 'payment' || display.screen === 'paid')
    return 'good'
  if (display.screen === 'missed') return 'notice'
  if (link === 'offline') return 'bad'
  return alarmOf(speaker) === undefined ? 'plain' : 'notice'
}

/** Why the speaker needs attention, in a word; the most urgent reason first. */
function alarmOf(speaker: SpeakerSnapshot): string | undefined {
  if (speaker.faults.includes('broken-audio')) return 'no sound'
  if (isDisplayBroken(speaker)) return 'no screen'
  if (speaker.display.screen === 'locked') return 'locked'
  if (isMuted(speaker)) return 'muted'
  if (speaker.display.screen === 'missed') return 'missed'
  if (isLow(speaker)) return 'battery'
  return undefined
}

/** Percent; from here down the battery counts as low. */
const LOW_BATTERY = 20
const BATTERY_CELLS = 4

/** Whether the battery is low. */
export function isLow({ battery }: SpeakerSnapshot): boolean {
  return battery <= LOW_BATTERY
}

/** "[▮▮▮▯] 76%", with "low" or "empty". */
export function batteryText(percent: number): string {
  const low = percent === 0 ? ' empty' : percent <= LOW_BATTERY ? ' low' : ''
  return `[${bar(percent, BATTERY_CELLS)}] ${percent}%${low}`
}

/** Nothing on the display is readable. */
export function isDisplayBroken({ faults }: SpeakerSnapshot): boolean {
  return faults.includes('broken-display')
}

/** The speaker is off because its battery is empty. */
function isEmpty({ power, battery }: SpeakerSnapshot): boolean {
  return !power && battery === 0
}

/** Nothing is heard, whatever arrives. */
export function isMuted({ faults, settings }: SpeakerSnapshot): boolean {
  return faults.includes('mute') || settings.volume === 0
}

/** Whether a sentence could be heard now. */
export function isAudible(speaker: SpeakerSnapshot): boolean {
  return !isMuted(speaker) && !speaker.faults.includes('broken-audio')
}

/** "♪ ▮▮▮▮▮▮▮▮▯▯ 80%", or "muted". */
export function volumeIndicator(speaker: SpeakerSnapshot): Indicator {
  const { volume } = speaker.settings
  const level = `${bar(volume, 10)} ${volume}%`
  if (isMuted(speaker)) return { sign: '✕', word: `muted ${level}`, meaning: 'notice' }
  return { sign: '♪', word: level, meaning: speaker.power ? 'plain' : 'quiet' }
}

/** The level in dBm from which each bar is shown; the usual steps of a phone. */
const SIGNAL_STEPS = [-90, -80, -70, -60]
const SIGNAL_BARS = ['▂', '▄', '▆', '█']

/** "▂▄▆· -67 dBm"; missing bars are dots, and without a signal there is no number. */
export function signalText({ signal }: SpeakerSnapshot, unit = true): string {
  if (signal <= NO_SIGNAL) return '····'
  const bars = SIGNAL_STEPS.map((step, index) => (signal >= step ? SIGNAL_BARS[index] : '·')).join('')
  return `${bars} ${signal}${unit ? ' dBm' : ''}`
}

function bar(percent: number, cells: number): string {
  const full = Math.round((percent / 100) * cells)
  return '▮'.repeat(full) + '▯'.repeat(cells - full)
}

/** A fault's name as words: "slow link". */
export function faultWords(fault: Fault): string {
  return fault.replaceAll('-', ' ')
}

/** "⚠ broken audio · slow link"; undefined without faults. */
export function faultsIndicator(faults: readonly Fault[]): Indicator | undefined {
  if (faults.length === 0) return undefined
  const count = faults.length > 3 ? `${faults.length} faults: ` : ''
  return { sign: '⚠', word: `${count}${faults.map(faultWords).join(' · ')}`, meaning: 'notice' }
}

/** What the speaker is doing while it is silent, in lines. */
export function statusLines(speaker: SpeakerSnapshot, canAct: boolean): string[] {
  const { power, link, retryInMs, offlineReason } = speaker
  if (!power)
    return isEmpty(speaker)
      ? ['the battery is empty: the screen is dark', ...(canAct ? ['o charges it and switches it on'] : [])]
      : ['no power: the screen is dark', ...(canAct ? ['o switches it on'] : [])]
  switch (link) {
    case 'welcomed':
      return []
    case 'connecting':
      return ['connecting to the hub…']
    case 'born':
      return ['connected; the hub has not said welcome yet']
    case 'offline': {
      const reason = offlineReason ?? 'offline'
      if (retryInMs !== undefined) return [reason, `next try in ${duration(retryInMs)}`]
      return [reason, ...(canAct ? ['x plugs it in'] : [])]
    }
  }
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds > 90 ? `${Math.ceil(seconds / 60)} min` : `${seconds} s`
}

/** "last #41 · 2 waiting". */
export function countersText({ played, waiting }: SpeakerSnapshot): string {
  const last = played === 0 ? 'nothing played' : `last #${played}`
  return waiting > 0 ? `${last} · ${waiting} waiting` : last
}
