import type { Command } from '../../../protocol/messages/command.ts'
import { clipsToText } from '../../../protocol/money/sentence.ts'
import { ackFailed, ackGivenUp, ackRepeat, ackStage, isGivingUp } from './acks.ts'
import { paidOnScreen, paymentOnScreen } from './screens.ts'
import { sentenceMs } from './state/clip-times.ts'
import { isPast } from './state/hub-time.ts'
import { chain, type DeviceState, emit, noEffects, type Sound, type Step, type Timer } from './state/state.ts'

/** Announcements that may wait, over a minute of speech. Any more would be played too late to be useful. */
export const MAX_QUEUED = 32

/** Duration of the beep of `identify`. */
export const BEEP_MS = 660

/**
 * Handles an announcement (sb/1 7.5).
 * 1. A repeat (waiting, sounding, or not above `played`) is only acked.
 * 2. An announcement that is expired, inaudible or without clips in this speaker is refused.
 * 3. Any other is received, queued, and started at once when nothing sounds.
 */
export function onAnnounce(state: DeviceState, command: Command<'announce'>, nowMs: number): Step {
  if (isPending(state, command)) return ackRepeat(renewed(state, command), command, 'received')
  if (command.n <= state.memory.played) return ackRepeat(state, command, 'played')
  const { t, id, n, d: body } = command
  const hasPack = state.config.languages.includes(body.lang)
  const text = hasPack ? clipsToText(body.lang, body.clips) : undefined
  if (text === undefined) return ackFailed(state, command, 'no_clip')
  return enqueue(state, { t, id, n, validUntil: command.at + command.ttl, body, text }, nowMs)
}

/** Handles `identify`: queues a beep behind the announcements, so that no two sounds overlap (sb/1 7.16). */
export function onIdentify(state: DeviceState, command: Command<'identify'>, nowMs: number): Step {
  if (isPending(state, command)) return ackRepeat(state, command, 'received')
  if (state.link.phase === 'welcomed' && command.n <= state.link.identified)
    return ackRepeat(state, command, 'played')
  const { t, id, n } = command
  return enqueue(state, { t, id, n, validUntil: command.at + command.ttl }, nowMs)
}

/** Finishes the current sound and starts the next one. */
export const soundTimer: Timer = {
  dueAtMs: ({ sounding }) => sounding?.untilMs,
  fire(state, nowMs) {
    if (!state.sounding) return noEffects(state)
    const { sound } = state.sounding
    return chain(finish({ ...state, sounding: undefined }, sound), (next) => startNext(next, nowMs))
  },
}

/** Stops the current sound when a fault makes it inaudible. Queued sounds are refused for the same reason. */
export function stopInaudibleSound(state: DeviceState, nowMs: number): Step {
  const silence = inaudibleReason(state)
  if (!silence || !state.sounding) return noEffects(state)
  const { sound } = state.sounding
  return chain(ackGivenUp({ ...state, sounding: undefined }, sound, silence), (next) =>
    startNext(next, nowMs),
  )
}

function enqueue(state: DeviceState, sound: Sound, nowMs: number): Step {
  const refusal = refusalOf(state, sound, nowMs)
  if (refusal) return ackFailed(state, sound, refusal)
  // Send no ack, so that the hub resends: `failed` would end a payment that can still be announced (sb/1
  // 7.11).
  if (state.queue.length >= MAX_QUEUED) return noEffects(state)
  // Sorted by number, so that `played` only rises.
  const queue = [...state.queue, sound].sort((a, b) => a.n - b.n)
  const received = chain(ackStage({ ...state, queue }, sound, 'received'), (next) =>
    sound.t === 'announce' ? paidOnScreen(next, sound.n, sound.body, nowMs) : noEffects(next),
  )
  return chain(received, (next) => startNext(next, nowMs))
}

/** Starts the first queued sound that is still valid, unless another one sounds or the hub must know something first. */
export function startNext(state: DeviceState, nowMs: number): Step {
  const [sound, ...queue] = state.queue
  if (state.sounding || !sound) return noEffects(state)
  const rest = { ...state, queue }
  const refusal = refusalOf(rest, sound, nowMs)
  if (refusal) return chain(ackGivenUp(rest, sound, refusal), (next) => startNext(next, nowMs))
  return isGivingUp(state) ? noEffects(state) : start(rest, sound, nowMs)
}

function start(state: DeviceState, sound: Sound, nowMs: number): Step {
  switch (sound.t) {
    case 'announce':
      return startAnnouncement(state, sound, nowMs)
    case 'identify':
      return emit(
        { ...state, sounding: { sound, sinceMs: nowMs, untilMs: nowMs + BEEP_MS } },
        { event: 'identify', n: sound.n },
      )
  }
}

/**
 * Persists `played` before the audio starts: a power cut can shorten a sentence, but never repeats it (sb/1
 * 12.2).
 */
function startAnnouncement(state: DeviceState, sound: Sound & { t: 'announce' }, nowMs: number): Step {
  const { n, text, body } = sound
  const memory = { ...state.memory, played: n }
  const { amount, currency, lang, clips } = body
  const bill = body.bill === undefined ? {} : { bill: body.bill }
  const untilMs = nowMs + sentenceMs(state.config, body)
  const shown = paymentOnScreen({ ...state, memory }, n, body, { sinceMs: nowMs, untilMs })
  return {
    state: { ...shown, sounding: { sound, sinceMs: nowMs, untilMs } },
    effects: [
      { type: 'persist', memory },
      {
        type: 'emit',
        event: { event: 'announce', n, amount, currency, text, lang, clips, ...bill },
      },
    ],
  }
}

function finish(state: DeviceState, sound: Sound): Step {
  const played = ackStage(state, sound, 'played')
  switch (sound.t) {
    case 'announce':
      return chain(emit(state, { event: 'played', n: sound.n }), () => played)
    case 'identify':
      return { ...played, state: rememberIdentify(played.state, sound.n) }
  }
}

function rememberIdentify(state: DeviceState, n: number): DeviceState {
  if (state.link.phase !== 'welcomed') return state
  return { ...state, link: { ...state.link, identified: Math.max(n, state.link.identified) } }
}

function isPending(state: DeviceState, { id, n }: { id: string; n: number }): boolean {
  const heard = state.sounding ? [state.sounding.sound, ...state.queue] : state.queue
  return heard.some((sound) => sound.id === id || sound.n === n)
}

/** A repeat of a waiting announcement has the end of its time by the hub's present clock (sb/1 7.7). */
function renewed(state: DeviceState, { id, at, ttl }: Command<'announce'>): DeviceState {
  const queue = state.queue.map((sound) => (sound.id === id ? { ...sound, validUntil: at + ttl } : sound))
  return { ...state, queue }
}

/**
 * Why a sound is refused. Checked on arrival and again before it starts, because minutes of speech may lie between
 * (sb/1 7.7).
 */
function refusalOf(
  state: DeviceState,
  sound: Sound,
  nowMs: number,
): 'expired' | 'audio_failed' | 'muted' | undefined {
  if (isPast(state, sound.validUntil, nowMs)) return 'expired'
  // A `played` ack for a silent announcement would be false.
  return inaudibleReason(state) ?? (state.memory.settings.volume === 0 ? 'muted' : undefined)
}

/** Why no sound of this speaker is audible; undefined when sounds are. */
function inaudibleReason({ faults }: DeviceState): 'audio_failed' | 'muted' | undefined {
  if (faults.includes('broken-audio')) return 'audio_failed'
  return faults.includes('mute') ? 'muted' : undefined
}
