import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { OperatorError, reason } from '../../platform/errors.ts'

/** Nobody writes a longer secret by hand, and no maker gives one. */
const MOST_CHARACTERS = 256

/** The text of a file. An OperatorError when it can't be read. */
export function readText(file: string): string {
  try {
    // Some editors begin a file with a byte order mark.
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new OperatorError(`${file} can't be read: ${reason(error)}.`)
  }
}

/** A secret of one line in a file. */
export const secretInFile = (file: string): string => oneLine(readText(file), `${file}: the secret`)

/**
 * A password of one line from standard input; a person at a terminal is asked for it.
 *
 * Why never an argument: everybody on the machine can read those.
 */
export async function passwordFromInput(question: string): Promise<string> {
  const given = process.stdin.isTTY ? await askSecret(question) : await text(process.stdin)
  return oneLine(given, 'Standard input: the password')
}

function oneLine(given: string, what: string): string {
  const line = given.replace(/\r?\n$/, '')
  if (line !== '' && line.length <= MOST_CHARACTERS && !/\p{Cc}/u.test(line)) return line
  throw new OperatorError(`${what} must be one line of 1 to ${MOST_CHARACTERS} characters.`)
}

/** Asks a person, and shows nothing of what is typed. */
export function askSecret(question: string, stopping?: AbortSignal): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  // Behind the interface, which ends the echo: what is typed at the question is never shown.
  process.stderr.write(question)
  return new Promise<string>((resolve, reject) => {
    lines.once('line', (line) => resolve(line.trim()))
    // Ctrl+C and Ctrl+D: in this mode the terminal sends no signal.
    for (const end of ['SIGINT', 'close'] as const)
      lines.once(end, () => reject(new OperatorError('No secret was given.')))
    stopping?.addEventListener('abort', () => lines.close(), { once: true })
  }).finally(() => {
    lines.close()
    process.stdin.unref()
    process.stderr.write('\n')
  })
}
