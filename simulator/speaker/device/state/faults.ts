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
    brief: 'delays every packet',
    does: 'delays every packet by 1.5 to 4 s, each way; loses none and keeps their order',
    seen: 'announcements arrive twice and are spoken once; a code is usually confirmed too late (50401)',
  },
  'drop-acks': {
    brief: 'loses its acks',
    does: 'sends no acks',
    seen: 'the hub resends after 3, 6 and 12 s; each payment is spoken once and stays `sent` until acks arrive again',
  },
  'repeat-acks': {
    brief: 'sends every ack twice',
    does: 'sends every ack twice',
    seen: 'nothing: stages only move forward',
  },
  'broken-display': {
    brief: 'its display is unreadable',
    does: 'shows stripes; screen commands fail as `display_failed`',
    seen: 'no code can be shown: 409 40905, and no attempt is counted',
  },
  'broken-audio': {
    brief: 'no sound is audible',
    does: 'sounds fail as `audio_failed`; the current sound stops and does not count as played',
    seen: 'the announcement is `failed`, never `played`; the shop finds it among the missed ones',
  },
  mute: {
    brief: 'it is muted',
    does: 'a switch on the case: sounds fail as `muted` at every volume',
    seen: 'the same as with a volume of 0',
  },
  'low-battery': {
    brief: 'its battery drains',
    does: 'the battery falls from 15 % by 1 % every 4 s; the empty speaker switches itself off',
    seen: 'telemetry reports the charge; at the end the connection is lost',
  },
  'wrong-clock': {
    brief: 'its clock is 7 hours fast',
    does: "the speaker's own clock is 7 hours fast, as if local time in Vietnam were UTC",
    seen: 'a wrong `at` in the birth, and nothing else: deadlines use the clock of the welcome',
  },
  'small-buffer': {
    brief: 'large packets do not fit',
    does: 'the receive buffer has 256 bytes, reported in the next birth; larger packets fail as `too_large`',
    seen: 'the hub never sends a QR; an amount of many words (12,345,678) is `failed` with `too_large`',
  },
  'forgets-played': {
    brief: 'forgets played at a power cut',
    does: '`played` is lost at a power cut: the next birth reports 0',
    seen: 'an announcement that the power cut interrupted is sent again and spoken twice',
  },
}

export function isFault(name: string): name is Fault {
  return FAULTS.some((fault) => fault === name)
}

/** The faults after one was switched on or off, in the order of `FAULTS`. */
export function withFault(faults: readonly Fault[], fault: Fault, on: boolean): readonly Fault[] {
  return FAULTS.filter((one) => (one === fault ? on : faults.includes(one)))
}
