import { onTestFinished } from 'vitest'
import { parseKey } from '../../../protocol/keys.ts'
import type { SpeakerEvent } from '../../../simulator/speaker/device/state/speaker-events.ts'
import { volatileMemory } from '../../../simulator/speaker/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../../simulator/speaker/speaker.ts'
import { until } from '../wait.ts'
import type { Minted } from './mqtt-device.ts'

type HappeningOf<E extends SpeakerEvent['event']> = Extract<SpeakerEvent, { event: E }>

/** The simulator's speaker, switched on, and its events. */
export interface TestSpeaker {
  speaker: Speaker
  happenings: SpeakerEvent[]
  /** All happenings of one kind. */
  all<E extends SpeakerEvent['event']>(event: E): HappeningOf<E>[]
  /** Resolves with the first (or the nth) happening of a kind. */
  next<E extends SpeakerEvent['event']>(event: E, nth?: number): Promise<HappeningOf<E>>
  /** The code on its screen. */
  code(): string | undefined
}

/** Switches a speaker on. It reconnects almost at once, and speaks each clip in `msPerClip`. */
export function switchOn({ serial, key }: Minted, url: string, msPerClip = 20): TestSpeaker {
  const speaker = createSpeaker({
    serial,
    key: parseKey(key) ?? Buffer.alloc(0),
    url,
    memory: volatileMemory(),
    config: { msPerClip },
    random: () => 0.05,
  })
  const happenings: SpeakerEvent[] = []
  speaker.subscribe((item) => {
    if (item.kind === 'event') happenings.push(item.event)
  })
  onTestFinished(() => speaker.stop())
  speaker.start()

  function all<E extends SpeakerEvent['event']>(event: E): HappeningOf<E>[] {
    return happenings.filter((happening): happening is HappeningOf<E> => happening.event === event)
  }
  return {
    speaker,
    happenings,
    all,
    next: (event, nth = 1) => until(`"${event}" number ${nth}`, () => all(event)[nth - 1]),
    code: () => all('code').at(-1)?.code,
  }
}
