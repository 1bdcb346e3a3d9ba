import { z } from 'zod'

/** Small enough for a page, large enough for a bill's QR beside the story. */
export const TERMINAL = { width: 100, height: 30 } as const

const header = z.object({ version: z.literal(2), width: z.number(), height: z.number() })
const event = z.tuple([z.number(), z.literal('o'), z.string()])

/** A recorded terminal: what was written to it, each with its seconds from the start. */
export interface Cast {
  width: number
  height: number
  writes: { atS: number; text: string }[]
}

/** The text of an asciicast v2 file (https://docs.asciinema.org/manual/asciicast/v2/). */
export function writeCast({ width, height, writes }: Cast): string {
  const lines = writes.map(({ atS, text }) => JSON.stringify([Number(atS.toFixed(3)), 'o', text]))
  return `${[JSON.stringify({ version: 2, width, height }), ...lines].join('\n')}\n`
}

/** Throws where the text is no asciicast v2 file. */
export function readCast(file: string): Cast {
  const [first = '', ...rest] = file.trimEnd().split('\n')
  const { width, height } = header.parse(JSON.parse(first))
  const writes = rest.map((line) => {
    const [atS, , text] = event.parse(JSON.parse(line))
    return { atS, text }
  })
  return { width, height, writes }
}
