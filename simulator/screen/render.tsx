import type { WriteStream } from 'node:tty'
import { render } from 'ink'
import { App } from './app.tsx'
import type { ExtraKey } from './keys/keys.ts'
import type { Controls, SpeakerSource } from './source.ts'
import type { Page } from './view-model.ts'

/** Enough for the eye, and not too much for a slow connection to the terminal. */
const FRAMES_PER_SECOND = 10

export interface ScreenOptions {
  speaker: SpeakerSource
  /** What the keys control, usually the speaker itself. Omitted: no control keys. */
  controls?: Controls
  /** Where to draw; must be a terminal. */
  stdout: WriteStream
  /** The source of keys; without a terminal there are none. */
  stdin: NodeJS.ReadStream
  /** The value of TMUX, for the clipboard. */
  tmux: string | undefined
  /** Lines beside the device, newest last; they take most of the log's area. Omitted: only the log. */
  extraLines?: readonly string[]
  /** Keys for `onKey`, shown first in the footer. */
  extraKeys?: readonly ExtraKey[]
  onKey?: (key: string) => void
  /** What `q` does, in a word. Default "quit". */
  quitLabel?: string
  /** A text at the end of the footer. */
  footer?: string
  /** Draw on the terminal's second screen and give the first back at the end. Default true. */
  alternateScreen?: boolean
}

export interface SpeakerScreen {
  /** Replaces the embedder's content, or the speaker; omitted fields stay unchanged. */
  update(change: ScreenChange): void
  /** Resolves when somebody quits (q or Ctrl+C), or after `close`. Does not stop the speaker. */
  closed: Promise<undefined>
  /** Closes the screen and restores the terminal. */
  close(): Promise<void>
}

export type ScreenChange = Partial<Pick<ScreenOptions, 'speaker' | 'controls' | 'extraLines' | 'footer'>> & {
  page?: Page
}

/** Shows a speaker in the terminal. Call it before `speaker.start()`, so that the log misses nothing. */
export function renderSpeaker(options: ScreenOptions): SpeakerScreen {
  const { stdout, stdin, tmux, quitLabel, alternateScreen = true } = options
  const { onKey = () => {}, extraKeys = [] } = options
  let page: Page | undefined
  let { speaker, controls, extraLines, footer = '' } = options
  // hasColors respects NO_COLOR and dumb terminals; Ink respects only dumb terminals.
  const colour = stdout.hasColors()
  const { promise: closed, resolve } = Promise.withResolvers<undefined>()
  const quit = () => resolve(undefined)

  const app = () => (
    <App
      speaker={speaker}
      controls={controls}
      colour={colour}
      tmux={tmux}
      extraLines={extraLines}
      extraKeys={extraKeys}
      page={page}
      footer={footer}
      onKey={onKey}
      onQuit={quit}
      quitLabel={quitLabel}
    />
  )
  const ink = render(app(), {
    stdout,
    stdin,
    exitOnCtrlC: false,
    alternateScreen,
    incrementalRendering: true,
    maxFps: FRAMES_PER_SECOND,
  })
  return {
    update: (change) => {
      if (change.speaker) speaker = change.speaker
      if (change.controls) controls = change.controls
      if (change.extraLines) extraLines = change.extraLines
      if (change.page) page = change.page
      if (change.footer !== undefined) footer = change.footer
      ink.rerender(app())
    },
    closed,
    close: async () => {
      ink.unmount()
      await ink.waitUntilExit()
      resolve(undefined)
    },
  }
}
