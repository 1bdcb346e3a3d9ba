import { createInterface } from 'node:readline/promises'
import type { People } from './people.ts'

/** A person at the terminal: reads questions, presses keys, pulls plugs. Ctrl+C at a question ends the run. */
export function personAt(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  interrupt: () => void,
): People {
  const ask = async (text: string): Promise<string> => {
    const lines = createInterface({ input, output })
    lines.once('SIGINT', interrupt)
    try {
      return await lines.question(text)
    } finally {
      lines.close()
    }
  }
  const wait = async (what: string) => void (await ask(`  ⏵ ${what} Then press Enter. `))
  return {
    answer: async ({ text }) => {
      for (;;) {
        const answer = (await ask(`  ⏵ ${text} [y/n, s: can't tell] `)).trim().toLowerCase()
        if (answer === 'y' || answer === 'yes') return true
        if (answer === 'n' || answer === 'no') return false
        if (answer === 's') return undefined
      }
    },
    powerCycle: wait,
    goodbye: wait,
  }
}
