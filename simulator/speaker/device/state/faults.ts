/** The faults, by their names in options, scenarios, headless lines and transcripts. */
export const FAULTS = [
  'slow-link',
  'drop-acks',
  'repeat-acks',
  'broken-display',
  'broken-audio',
  'mute',
  'low-battery',
  'wrong-clock',
  'small-buffer',
  'forgets-played',
] as const

export type Fault = (typeof FAULTS)[number]

/** Each fault: in brief, what the speaker does, and what the partner and the hub see. */
export const FAULT_NOTES: Readonly<Record<Fault, { brief: string; does: string; seen: string }>> = {
  'slow-link': {
    brief: 'every packet takes its time',
    does: 'every packet is 1.5 to 4 s late, each way; none is lost, and their order is kept',
    seen: 'announcements come twice and are spoken once; a code is mostly confirmed too late (50401)',
  },
  'drop-acks': {
    brief: 'what it answers gets lost',
    does: 'acks never leave',
    seen: 'the hub sends again after 3, 6 and 12 s; spoken once; it stays `sent` until acks pass again',
  },
  'repeat-acks': {
    brief: 'it answers twice',
    does: 'every ack leaves twice',
    seen: 'nothing: stages only move forward',
  },
  'broken-display': {
    brief: 'nothing can be read on it',
    does: 'the screen shows stripes, and screen commands fail as `display_failed`',
    seen: 'no code can be shown: 409 40905, and nothing is counted',
  },
  'broken-audio': {
    brief: 'nothing can be heard from it',
    does: 'sounds fail as `audio_failed`; one that sounds is broken off and was not played',
    seen: 'the announcement is `failed`, never `played`; the shop finds it among the missed ones',
  },
  mute: {
    brief: 'somebody has muted it',
    does: 'a switch on the case: sounds fail as `muted`, whatever the volume is set to',
    seen: 'the same as with a volume of 0',
  },
  'low-battery': {
    brief: 'it will not last long',
    does: 'the battery falls from 15 % by 1 % every 4 s; when it is empty the speaker switches itself off',
    seen: 'telemetry tells the charge; at the end the link is lost',
  },
  'wrong-clock': {
    brief: 'it has the time wrong',
    does: 'its own clock is 7 hours fast, as if local time in Vietnam were UTC',
    seen: 'a wrong `at` in the birth, and nothing else: what is late is judged by the clock of the welcome',
  },
  'small-buffer': {
    brief: 'long packets find no room',
    does: 'its receive buffer has 256 bytes, told at the next birth; what is larger fails as `too_large`',
    seen: 'a QR is never sent, and an amount of many words (12,345,678) is `failed` with `too_large`',
  },
  'forgets-played': {
    brief: 'it forgets what it has said',
    does: 'what it has played is lost with the power: the next birth says `played` 0',
    seen: 'what it was speaking when the power went comes again, and is said twice',
  },
}

export function isFault(name: string): name is Fault {
  return FAULTS.some((fault) => fault === name)
}

/** The faults after one was switched on or off, in the order of `FAULTS`. */
export function withFault(faults: readonly Fault[], fault: Fault, on: boolean): readonly Fault[] {
  return FAULTS.filter((one) => (one === fault ? on : faults.includes(one)))
}
