/**
 * What may have changed for a device:
 *  - owner: another session has taken it over,
 *  - news: there are announcements that nobody has sent,
 *  - silence: it was locked or released,
 *  - missed: payments were missed, or are missed no longer,
 *  - screen, settings, maintenance: what it shows, its settings, a key or firmware for it,
 *  - message: a hub asks something of it, or has answered: see messages.ts,
 *  - everything: all of these.
 */
export const WAKE_KINDS = [
  'owner',
  'news',
  'silence',
  'missed',
  'screen',
  'settings',
  'maintenance',
  'message',
  'everything',
] as const

export type WakeKind = (typeof WAKE_KINDS)[number]

/**
 * Tells the other hubs on the same storage that they should look at devices again. A wake-up has no content: a hub reads
 * from the storage what has changed. So wake-ups may be lost, late, doubled, out of order or forged.
 */
export interface Wakeups {
  /** There is no other hub. */
  readonly isAlone: boolean
  wake(kind: WakeKind, deviceIds: readonly string[]): void
  /**
   * Calls `listener` for each wake-up of another hub. No devices: all of them, because wake-ups may have been lost. The
   * returned function ends it.
   */
  onWake(listener: (kind: WakeKind, deviceIds?: readonly string[]) => void): () => void
}

/** Of one hub by itself. */
export const NO_WAKEUPS: Wakeups = {
  isAlone: true,
  wake: () => undefined,
  onWake: () => () => undefined,
}
