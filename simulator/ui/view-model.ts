import type { SpeakerSnapshot } from '../snapshot.ts'
import type { ExtraKey } from './keys.ts'
import type { LogLine } from './log-lines.ts'

/** Everything that the view draws. Plain data: a test builds one and looks at the frame. */
export interface ViewModel {
  columns: number
  rows: number
  colour: boolean
  speaker: SpeakerSnapshot
  /** Newest last. */
  log: readonly LogLine[]
  /** Lines of whoever embeds the screen, newest last; undefined for the speaker alone. */
  extraLines: readonly string[] | undefined
  extraKeys: readonly ExtraKey[]
  /** Stands at the end of the footer. */
  footer: string
  help: boolean
}
