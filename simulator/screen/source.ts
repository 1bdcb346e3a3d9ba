import type { Speaker } from '../speaker/speaker.ts'

/** What the screen reads: a live speaker or a recording. */
export type SpeakerSource = Pick<Speaker, 'subscribe' | 'snapshot'>

/** What the screen's keys can do to a speaker. A recording has no controls. */
export type Controls = Pick<
  Speaker,
  'start' | 'reconnect' | 'cutNetwork' | 'powerOff' | 'powerOn' | 'setFault' | 'adjust' | 'dismiss'
>
