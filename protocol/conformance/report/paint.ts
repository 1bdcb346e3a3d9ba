import { styleText } from 'node:util'
import type { Verdict } from './report.ts'

/** The meaning of a piece of text. It decides the style. */
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

/** Applies no style. For files. */
export const plainPaint: Paint = (_meaning, text) => text

/** Applies colours if the stream is a terminal and NO_COLOR is not set. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (meaning, text) => styleText(STYLES[meaning], text, { stream })
}
