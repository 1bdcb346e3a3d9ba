/** What can be wrong with a speaker, by the names of flags, scenarios, headless lines and transcripts. */
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

/** The same faults with one switched on or off, in the order of `FAULTS`. */
export function withFault(faults: readonly Fault[], fault: Fault, on: boolean): readonly Fault[] {
  return FAULTS.filter((one) => (one === fault ? on : faults.includes(one)))
}
