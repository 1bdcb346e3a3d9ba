import type { WriteStream } from 'node:tty'
import { render } from 'ink'
import { App } from './app.tsx'
import type { ExtraKey } from './keys/keys.ts'
import type { Controls, SpeakerSource } from './source.ts'
import type { Page } from './view-model.ts'

/** More than this an eye does not need, and a slow line to the terminal does not stand. */
const FRAMES_PER_SECOND = 10

export interface ScreenOptions {
  speaker: SpeakerSource
  /** What the keys act upon, usually the speaker itself; left out, the keys that act are not offered. */
  controls?: Controls
  /** Where to draw; must be a terminal. */
  stdout: WriteStream
  /** Where keys come from; without a terminal there, there are no keys. */
  stdin: NodeJS.ReadStream
  /** Lines beside the device, newest last; they get most of the log's place. Left out: the log alone. */
  extraLines?: readonly string[]
  /** Keys that are handed to `onKey`, shown first in the footer. */
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
  /** Replaces what the embedder shows; what is left out stays. */
  update(change: { extraLines?: readonly string[]; footer?: string; page?: Page }): void
  /** Resolves when a person has quit (q or Ctrl+C), or after `close`. The speaker is left as it is. */
  closed: Promise<undefined>
  /** Takes the screen down and gives the terminal back. */
  close(): Promise<void>
}

/** Shows a speaker in the terminal. Subscribe before `speaker.start()`, so that nothing is missed. */
export function renderSpeaker(options: ScreenOptions): SpeakerScreen {
  const { speaker, controls, stdout, stdin, quitLabel, alternateScreen = true } = options
  const { onKey = () => {}, extraKeys = [] } = options
  let page: Page | undefined
  let { extraLines, footer = '' } = options
  // hasColors knows NO_COLOR and dumb terminals; Ink's own colouring knows only the latter.
  const colour = stdout.hasColors()
  const { promise: closed, resolve } = Promise.withResolvers<undefined>()
  const quit = () => resolve(undefined)

  const app = () => (
    <App
      speaker={speaker}
      controls={controls}
      colour={colour}
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
