import type { ReadStream, WriteStream } from 'node:tty'
import { canDraw } from '../screen/terminal.ts'
import type { Speaker } from '../speaker/speaker.ts'
import { type HeadlessOptions, type Line, linePrinter, runHeadless } from './headless/headless.ts'

/** One way to look at a speaker, and to be told what is done with it. */
export interface View {
  /** Resolves when the person has closed it; a view that nobody can close never does. */
  closed: Promise<undefined>
  /** Prints a line of its own between the speaker's; a screen has no place for it. */
  print(line: Line): void
  /** Replaces the lines beside the device; a view without a screen has no place for them. */
  showLines(lines: readonly string[]): void
  close(): Promise<void>
}

export interface ViewOptions extends HeadlessOptions {
  headless: boolean
  stdout: WriteStream
  stdin: ReadStream
  /** The terminal's kind, from the environment's TERM. */
  term: string | undefined
  /** Whether there will be lines beside the device. */
  withLines?: boolean
}

/** Opens the view that fits: a screen where there is one, unless headless was asked for. Open it before `start`. */
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

/** Ink and React are loaded only for those who want to see them: headless speakers start by the hundred. */
async function screenView(
  speaker: Speaker,
  { stdout, stdin, withLines = false }: ViewOptions,
): Promise<View> {
  const { renderSpeaker } = await import('../screen/render.tsx')
  const screen = renderSpeaker({
    speaker,
    controls: speaker,
    stdout,
    stdin,
    ...(withLines ? { extraLines: [] } : {}),
  })
  return {
    closed: screen.closed,
    print: () => undefined,
    showLines: (extraLines) => screen.update({ extraLines }),
    close: () => screen.close(),
  }
}
