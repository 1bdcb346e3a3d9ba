import { styleText } from 'node:util'
import type { Verdict } from './report.ts'

/** What a piece of text means; the terminal decides what it looks like. */
export type Meaning = Verdict | 'heading' | 'quiet' | 'clause'

export type Paint = (meaning: Meaning, text: string) => string

const STYLES: Record<Meaning, Parameters<typeof styleText>[0]> = {
  pass: 'green',
  fail: 'red',
  warn: 'yellow',
  skip: 'dim',
  inconclusive: 'cyan',
  error: 'magenta',
  heading: 'bold',
  quiet: 'dim',
  clause: 'italic',
}

export const MARKS: Record<Verdict, string> = {
  pass: '✔',
  fail: '✘',
  warn: '▲',
  skip: '○',
  inconclusive: '?',
  error: '!',
}

/** For files, and for streams that nobody looks at. */
export const plainPaint: Paint = (_meaning, text) => text

/** Colour where the stream shows it: on a terminal, unless NO_COLOR asks for none. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (meaning, text) => styleText(STYLES[meaning], text, { stream })
}
