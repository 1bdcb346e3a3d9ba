import type { Mutation } from '../support/device-under-test.ts'

/** A speaker with one mistake, the case that fails for it, and the sentence that names it. */
export interface Mistake {
  name: string
  mutation: () => Mutation
  /** The one case that fails, of those that are run. */
  fails: string
  /** In `Likely` of that case. */
  likely: RegExp
  /** Cases to run; a choice from all areas when left out. */
  only?: readonly string[]
  /** The mistake leaves the device without a session. */
  isFatal?: boolean
}

/** Every packet that a device sends in normal work, in two sessions. */
export const USUAL_CASES = [
  ...['connection', 'mac/birth', 'mac/ack', 'mac/settings', 'envelope/frames-are-json', 'envelope/ack-*'],
  ...['session/sid-*', 'session/subscribes-*', 'session/birth-*', 'session/puback'],
  ...['ack/announce', 'ack/clear', 'settings/applied', 'settings/report-fields', 'reconnection/after-cut'],
]
