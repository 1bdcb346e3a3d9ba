import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import { type Entry, emptied, type History, ofShop, withEntry, withoutEntry } from './history.ts'

/** Where a history is kept over a reload. */
export interface HistoryStore {
  load(): History
  save(history: History): Promise<void>
}

export interface HistoryKeeper {
  now(): History
  /** Takes an event of the speaker's feed. */
  on(event: SpeakerEvent): void
  /** Looks whether the hub has stored that the last notice was shown. */
  settle(): void
  /** Hides the amounts, or shows them again. */
  setHidden(hidden: boolean): void
}

/**
 * Keeps the payments that a speaker has spoken, or shown as missed. The list is no part of the protocol: a speaker whose
 * list can't be stored goes on, and loses the list at the next load.
 */
export function keepHistory(
  store: HistoryStore,
  speaker: Pick<Speaker, 'hubNowMs' | 'owesAck'>,
): HistoryKeeper {
  let history = store.load()
  /** Entries since the last welcome or profile. The hub sends open announcements ahead of the profile of their shop. */
  let ofSession: Entry[] = []
  /** The notice that this page has shown, until the hub has stored that. */
  let shownNotice: number | undefined
  const change = (next: History) => {
    if (next === history) return
    history = next
    store.save(next).catch(() => {})
  }
  const add = (kind: Entry['kind'], n: number, count: number, amount: string) => {
    const entry = { kind, n, atMs: speaker.hubNowMs(), count, amount }
    ofSession.push(entry)
    // Without a shop the entry waits: the profile tells whether there is one.
    if (history.shop) change(withEntry(history, entry))
  }
  return {
    now: () => history,
    on(event) {
      switch (event.event) {
        case 'connected':
          ofSession = []
          if (!event.linked) change(emptied(history))
          break
        case 'profile': {
          const { name, qr } = event
          change(name === '' && qr === '' ? emptied(history) : ofShop(history, { name, qr }, ofSession))
          ofSession = []
          break
        }
        case 'announce':
          add('spoken', event.n, 1, event.amount)
          break
        case 'missed':
          add('missed', event.n, event.count, event.amount)
          shownNotice = event.n
          break
        case 'failed':
          // The sound has failed in the middle of the sentence: the hub names its payment among the missed ones.
          if (event.t !== 'announce') break
          ofSession = ofSession.filter(({ n }) => n !== event.n)
          change(withoutEntry(history, event.n))
          break
      }
    },
    settle() {
      if (shownNotice === undefined || speaker.owesAck(shownNotice)) return
      if (shownNotice === history.unsure) change({ ...history, unsure: undefined })
      shownNotice = undefined
    },
    setHidden: (hidden) => change({ ...history, hidden }),
  }
}
