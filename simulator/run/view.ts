import type { ReadStream, WriteStream } from 'node:tty'
import { canDraw } from '../screen/terminal.ts'
import type { Speaker } from '../speaker/speaker.ts'
import { type HeadlessOptions, type Line, linePrinter, runHeadless } from './headless/headless.ts'

/** A view of a speaker: a screen or headless lines. */
export interface View {
  /** Resolves when somebody closes the view; never for headless lines. */
  closed: Promise<undefined>
  /** Prints an additional line; ignored by a screen. */
  print(line: Line): void
  /** Replaces the lines beside the device; ignored by headless lines. */
  showLines(lines: readonly string[]): void
  close(): Promise<void>
}

export interface ViewOptions extends HeadlessOptions {
  headless: boolean
  stdout: WriteStream
  stdin: ReadStream
  /** The values of TERM and TMUX. */
  term: string | undefined
  tmux?: string | undefined
  /** Whether there will be lines beside the device. */
  withLines?: boolean
}

/** Opens a screen if the terminal can show one and headless was not requested. Open it before `start`. */
export function openView(speaker: Speaker, options: ViewOptions): Promise<View> {
  return options.headless || !canDraw(options.stdout, options.term)
    ? headlessView(speaker, options)
    : screenView(speaker, options)
}

async function headlessView(speaker: Speaker, options: ViewOptions): Promise<View> {
  const print = linePrinter((line) => options.stdout.write(line), options)
  const end = runHeadless(speaker, print, options)
  return {
    closed: new Promise(() => {}),
    print: (line) => print(line, Date.now()),
    showLines: () => undefined,
    close: async () => end(),
  }
}

/** Loads Ink and React only for a screen: headless speakers start by the hundred. */
async function screenView(
  speaker: Speaker,
  { stdout, stdin, tmux, withLines = false }: ViewOptions,
): Promise<View> {
  const { renderSpeaker } = await import('../screen/render.tsx')
  const screen = renderSpeaker({
    speaker,
    controls: speaker,
    stdout,
    stdin,
    tmux,
    ...(withLines ? { extraLines: [] } : {}),
  })
  return {
    closed: screen.closed,
    print: () => undefined,
    showLines: (extraLines) => screen.update({ extraLines }),
    close: () => screen.close(),
  }
}
