import type { FeedItem } from '../speaker/feed.ts'
import type { SpeakerSnapshot } from '../speaker/snapshot.ts'
import type { ExtraKey } from './keys/keys.ts'
import type { UiState } from './ui-state.ts'

/** Everything that the view draws. Plain data: a test builds one and looks at the frame. */
export interface ViewModel {
  columns: number
  rows: number
  colour: boolean
  speaker: SpeakerSnapshot
  /** What there was to see of it, newest last. */
  log: readonly FeedItem[]
  /** Whether it can be acted upon; a recording can't. */
  controls: boolean
  /** Lines of whoever embeds the screen, newest last; undefined for the speaker alone. */
  extraLines: readonly string[] | undefined
  extraKeys: readonly ExtraKey[]
  /** A text of the embedder's that a key opens. */
  page: Page | undefined
  /** Stands at the end of the footer. */
  footer: string
  /** What `q` does, in a word. */
  quitLabel: string
  ui: UiState
  /** Counts up while the speaker is heard. */
  beat: number
}

/** A text over the whole width, without a frame: its lines can be copied. */
export interface Page extends ExtraKey {
  /** At most 60 characters each, to stand whole in every terminal. */
  lines: readonly string[]
}
