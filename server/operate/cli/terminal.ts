import { once } from 'node:events'
import { printable } from './output.ts'

/** Where a command prints that runs until a signal ends it. */
export interface Terminal {
  /** Prints the JSON as one line for a script, or the lines for a person. */
  print(json: object, ...lines: string[]): void
  /** Resolves when the next line may follow. Rejects when the command has to end. */
  room(): Promise<unknown>
  complain(sentence: string): void
  /** A signal has come, or nobody reads the output any more. */
  stopping: AbortSignal
}

export function openTerminal(asJson: boolean): Terminal {
  const ending = new AbortController()
  const stop = () => ending.abort()
  // Ctrl+C sends SIGINT twice: from the terminal and from npm.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
  // The reader of a pipe may leave first, as head does.
  process.stdout.on('error', stop)
  const inJson = asJson || !process.stdout.isTTY
  const stopping = ending.signal
  let drained: Promise<unknown> | undefined
  return {
    stopping,
    print(json, ...lines) {
      const printed = inJson ? [JSON.stringify(json)] : lines
      process.stdout.write(printed.map((line) => `${printable(line)}\n`).join(''))
    },
    async room() {
      if (!process.stdout.writableNeedDrain) return
      // One listener, however many wait.
      drained ??= once(process.stdout, 'drain', { signal: stopping }).finally(() => {
        drained = undefined
      })
      await drained
    },
    complain: (sentence) => void process.stderr.write(`${printable(sentence)}\n`),
  }
}
