import { onTestFinished } from 'vitest'
import { volatileMemory } from '../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../simulator/speaker/speaker.ts'
import type { SpeakerOptions } from '../../../simulator/speaker/speaker-options.ts'
import { type HubDoubleOptions, startHubDouble } from './hub-double.ts'
import { Watch } from './watch.ts'

export const SERIAL = 'SPK-TEST-01'
export const KEY = Buffer.alloc(32, 1)

type Options = Partial<SpeakerOptions> & { hub?: Partial<HubDoubleOptions> }

/** A speaker that is not started. It ends with the test. */
export function speakerAt(url: string, options: Partial<SpeakerOptions> = {}) {
  const speaker = createSpeaker({
    ...{ serial: SERIAL, key: KEY, url, memory: volatileMemory(), random: () => 0 },
    config: { msPerClip: 1 },
    ...options,
  })
  onTestFinished(() => speaker.stop())
  return { speaker, watch: new Watch(speaker) }
}

/** A hub double, and a speaker that is not started. Both end with the test. */
export async function speakerAtDouble({ hub: hubOptions, ...options }: Options = {}) {
  const hub = await startHubDouble({ serial: SERIAL, key: KEY, ...hubOptions })
  onTestFinished(() => hub.close())
  return { hub, ...speakerAt(hub.url, options) }
}

/** A speaker that its hub has welcomed. */
export async function welcomedSpeaker(options: Options = {}) {
  const staged = await speakerAtDouble(options)
  staged.speaker.start()
  await staged.watch.next('connected')
  return staged
}
