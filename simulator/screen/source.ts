import type { Speaker } from '../speaker/speaker.ts'

/** What the screen reads: a speaker at work, or a recording that stands in for one. */
export type SpeakerSource = Pick<Speaker, 'subscribe' | 'snapshot'>

/** What the screen can do to a speaker. Where there is nothing to be done (a recording), there is none. */
export type Controls = Pick<
  Speaker,
  'start' | 'reconnect' | 'cutNetwork' | 'powerOff' | 'powerOn' | 'setFault' | 'adjust' | 'dismiss'
>
