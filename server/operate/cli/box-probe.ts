import { existsSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { isoInstant, systemClock } from '../../platform/clock.ts'
import { OperatorError, reason } from '../../platform/errors.ts'
import { listen } from '../../platform/listen.ts'
import { createBoxNotes } from './box-probe-draft.ts'
import { describeBoxEvent } from './box-probe-events.ts'
import { createProbeServer } from './box-probe-listener.ts'
import { between, leaf, notBlank } from './command-parts.ts'
import { openTerminal, type Terminal } from './terminal.ts'

export function boxCommands(program: Command) {
  const parent = program.command('box').description('boxes of other makers')
  const whole = (lowest: number, highest: number) => between(lowest, highest, { isWhole: true })
  leaf(parent, 'probe', 'print what an unknown box says, and draft a profile of it; Ctrl+C ends it')
    .requiredOption(
      '--port <number>',
      'the port to which the box is pointed; 0 takes a free port',
      whole(0, 65_535),
    )
    .option('--host <address>', 'the address to listen on; 0.0.0.0 for all', notBlank, '127.0.0.1')
    .option('--seconds <number>', 'end after so long', whole(1, 86_400))
    .option('--out <file>', 'a new file for the draft; printed when absent', notBlank)
    .addHelpText(
      'after',
      '\nIt needs no hub and no data folder. It accepts every login, and prints no password, only its length.\n' +
        'What the box sends, its password too, passes the network as plain text: use a network of your own.',
    )
    .action(async function (this: Command, options: ProbeOptions) {
      const hasDraft = await probe(options, openTerminal(this.optsWithGlobals().json === true))
      if (!hasDraft) process.exitCode = 1
    })
}

export interface ProbeOptions {
  port: number
  host: string
  seconds?: number
  /** A file that does not exist yet. */
  out?: string
}

/** Listens until the time is over or a signal comes. Resolves with whether there was a box of which a profile is drafted. */
export async function probe(
  { port, host, seconds, out }: ProbeOptions,
  { print, room, complain, stopping: stopped }: Terminal,
): Promise<boolean> {
  if (out !== undefined && existsSync(out)) throw new OperatorError(`${out} exists: name a new file.`)
  const notes = createBoxNotes()
  const stopping =
    seconds === undefined ? stopped : AbortSignal.any([stopped, AbortSignal.timeout(seconds * 1_000)])
  const server = createProbeServer({
    room,
    stopping,
    tell(speaking, said) {
      notes.note(speaking.connection, said)
      const at = systemClock.now()
      const text = describeBoxEvent(at, speaking, said)
      if (!stopping.aborted) print({ at: isoInstant(at), ...speaking, ...said }, text)
    },
  })
  const listening = await listen(server, host, port, '--port')
  print(
    { event: 'listening', address: host, port: listening },
    `Listening on ${host}:${listening}: point the box at it. Ctrl+C ends it.`,
  )
  await new Promise((resolve) => {
    if (stopping.aborted) resolve(undefined)
    stopping.addEventListener('abort', resolve)
  })
  server.close()
  const draft = notes.draft()
  if (!draft) {
    complain('No box has connected: there is nothing to draft.')
    return false
  }
  const text = JSON.stringify(draft.profile, null, 2)
  print(
    { event: 'draft', ...draft },
    ...(out === undefined
      ? ['A draft of its profile:', ...text.split('\n')]
      : [`${out} has a draft of its profile.`]),
    'Fill in:',
    ...draft.fillIn.map((sentence) => `- ${sentence}`),
  )
  if (out !== undefined) save(out, text)
  return true
}

function save(out: string, text: string) {
  try {
    writeFileSync(out, `${text}\n`, { flag: 'wx' })
  } catch (error) {
    throw new OperatorError(`${out} can't be written: ${reason(error)}`)
  }
}
