import { fromBase64url } from '#platform'
import type { Language } from '../../../protocol/money/language.ts'
import { clipIds } from '../../../protocol/money/sentence.ts'
import { type ClipPack, SAMPLE_RATE } from '../../sound/audio.ts'
import type { Player } from '../../sound/voice.ts'
import { readWav } from '../../sound/wav.ts'
import { watchStall } from './stall.ts'

/** The one output of the page. */
export interface Output {
  /** Whether the browser plays sound now: not before somebody has touched the page, and not during a call. */
  isOn(): boolean
  /** Asks the browser to play. Resolves with whether it does. */
  switchOn(): Promise<boolean>
  onChange(listener: (isOn: boolean) => void): void
  /** A player for one speaker. */
  player(): Player
}

/** How long the browser may take to start its output before the page asks for a tap. */
const START_WITHIN_MS = 400

/** Within this time the clock of an output that plays advances. */
const LOOK_EVERY_MS = 1_000

/** A hub that restarts is back by then. */
const FETCH_AGAIN_MS = 3_000

/** `mixes`: several speakers may sound at once, and together be too loud. */
export function openOutput({ mixes }: { mixes: boolean }): Output {
  // Without this the switch of an iPhone for its ringing also silences the page.
  const session: unknown = Reflect.get(navigator, 'audioSession')
  if (session instanceof Object) Reflect.set(session, 'type', 'playback')
  // At the clips' own rate, so that every browser plays the same samples.
  const context = new AudioContext({ sampleRate: SAMPLE_RATE, latencyHint: 'interactive' })
  const target = mixes ? limiterOf(context) : context.destination
  const listeners = new Set<(isOn: boolean) => void>()
  let wasOn = false
  let stalled = false
  const look = () => {
    const isOn = context.state === 'running' && !stalled
    if (isOn === wasOn) return
    wasOn = isOn
    for (const listener of listeners) listener(isOn)
  }
  context.addEventListener('statechange', look)
  // Some browsers report `running` although the audio device is gone.
  const isStalled = watchStall()
  const lookAtTime = () => {
    stalled = isStalled(context.state === 'running' ? context.currentTime : undefined)
    look()
    // No interval: after a second in which the page was busy, the next look would follow at once.
    setTimeout(lookAtTime, LOOK_EVERY_MS)
  }
  setTimeout(lookAtTime, LOOK_EVERY_MS)
  const resume = async () => {
    if (stalled) await context.suspend()
    // Without a gesture the promise of some browsers stays open for ever.
    await Promise.race([context.resume().catch(() => {}), sleep(START_WITHIN_MS)])
    look()
    return wasOn
  }
  // The end of a call, or the way back to the page.
  for (const gesture of ['pointerup', 'keydown', 'visibilitychange'])
    document.addEventListener(gesture, () => {
      if (context.state !== 'running' && document.visibilityState === 'visible') void resume()
    })
  return {
    isOn: () => wasOn,
    switchOn: resume,
    onChange: (listener) => void listeners.add(listener),
    player: () => createPlayer(context, target),
  }
}

/** Plays sounds of one speaker one after another. A sound starts at once, or at the end of the one before. */
function createPlayer(context: AudioContext, target: AudioNode): Player {
  const playing = new Set<AudioBufferSourceNode>()
  let endsAt = 0
  const silence = () => {
    for (const source of playing) source.stop()
    playing.clear()
    endsAt = 0
  }
  return {
    play({ rate, samples }) {
      const buffer = context.createBuffer(1, samples.length, rate)
      buffer.copyToChannel(
        Float32Array.from(samples, (sample) => sample / 0x8000),
        0,
      )
      const source = new AudioBufferSourceNode(context, { buffer })
      source.connect(target)
      source.onended = () => {
        playing.delete(source)
        source.disconnect()
      }
      const startsAt = Math.max(context.currentTime, endsAt)
      source.start(startsAt)
      endsAt = startsAt + buffer.duration
      playing.add(source)
    },
    silence,
    close: silence,
  }
}

/** Keeps the sum of many voices below the loudest sample. */
function limiterOf(context: AudioContext): AudioNode {
  const limiter = new DynamicsCompressorNode(context, {
    threshold: -12,
    ratio: 20,
    attack: 0.003,
    release: 0.1,
  })
  limiter.connect(context.destination)
  return limiter
}

/** Loads the clips from the hub: WAV files in base64url, by language and clip. Tries again until they are there. */
export async function fetchPack(url: string): Promise<ClipPack> {
  for (;;) {
    try {
      const response = await fetch(url)
      if (response.ok) return packOf(await response.json())
    } catch {
      // No network, or it broke off.
    }
    await sleep(FETCH_AGAIN_MS)
  }
}

function packOf(files: Record<string, Record<string, string>>): ClipPack {
  const language = (lang: Language) =>
    new Map(clipIds(lang).map((clip) => [clip, readWav(fromBase64url(files[lang]?.[clip] ?? '')).samples]))
  return { vi: language('vi'), en: language('en') }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
