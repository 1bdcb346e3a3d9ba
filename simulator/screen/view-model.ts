import type { FeedItem } from '../speaker/feed.ts'
import type { SpeakerSnapshot } from '../speaker/snapshot.ts'
import type { ExtraKey } from './keys/keys.ts'
import type { UiState } from './ui-state.ts'

/** Everything that the view draws, as plain data that tests can build. */
export interface ViewModel {
  columns: number
  rows: number
  colour: boolean
  speaker: SpeakerSnapshot
  /** The feed so far, newest last. */
  log: readonly FeedItem[]
  /** Whether the speaker can be controlled; a recording can't. */
  controls: boolean
  /** The embedder's lines, newest last; undefined when there are none to show. */
  extraLines: readonly string[] | undefined
  extraKeys: readonly ExtraKey[]
  /** The embedder's page of text, opened by a key. */
  page: Page | undefined
  /** The text at the end of the footer. */
  footer: string
  /** What `q` does, in a word. */
  quitLabel: string
  ui: UiState
  /** Animation frame; counts up while a sound plays. */
  beat: number
}

/** A page over the whole width without a frame, so that its lines can be copied. */
export interface Page extends ExtraKey {
  /** At most 60 characters each, to fit every terminal. */
  lines: readonly string[]
}
