import { createInterface } from 'node:readline/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { wrap } from '../report/wrap.ts'
import type { Operator } from './operator.ts'

/** A person at the terminal. Ctrl+C at a question interrupts the run. */
export function terminalOperator(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  interrupt: () => void,
): Operator {
  const ask = async (text: string): Promise<string> => {
    const lines = createInterface({ input, output })
    lines.once('SIGINT', () => {
      output.write('\n')
      interrupt()
    })
    try {
      return await lines.question(text)
    } finally {
      lines.close()
    }
  }
  const say = (text: string) => void output.write(`${wrap('  ⏵ ', text).join('\n')}\n`)
  const wait = async (what: string) => {
    await dropEarlyKeys(input)
    say(what)
    await ask('    Then press Enter. ')
  }
  return {
    asksOnce: true,
    answer: async ({ text }) => {
      await dropEarlyKeys(input)
      say(text)
      for (;;) {
        const answer = (await ask("    y yes, n no, s can't say: ")).trim().toLowerCase()
        if (answer === 'y' || answer === 'yes') return true
        if (answer === 'n' || answer === 'no') return false
        if (answer === 's') return undefined
      }
    },
    powerCycle: wait,
    goodbye: wait,
  }
}

/** A line that was typed before the question must not answer it. */
async function dropEarlyKeys(input: NodeJS.ReadableStream): Promise<void> {
  if (!('isTTY' in input && input.isTTY)) return
  input.resume()
  await pause(DROP_MS)
  input.pause()
}

const DROP_MS = 20
