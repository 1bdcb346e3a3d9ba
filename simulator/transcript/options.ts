import { Command, InvalidArgumentError, Option } from 'commander'
import { SPEEDS } from './replay.ts'

/** What the command line says about recording. */
export interface TranscriptChoice {
  /** The file to record the session into; undefined for none. */
  transcript: string | undefined
}

export function withTranscriptOption(command: Command): Command {
  return command
    .option('--transcript <file>', 'record the session, to be shown again with `simulator replay`')
    .addHelpText(
      'after',
      '\nTo show a recorded session again: simulator replay FILE (replay --help says more).',
    )
}

export function transcriptChoiceOf(command: Command): TranscriptChoice {
  const { transcript } = command.opts<{ transcript?: string }>()
  return { transcript }
}

/** What the command line says about a replay. */
export interface ReplayChoice {
  file: string
  headless: boolean
  speed: number
  fromMs: number
  maxIdleMs: number
}

const SLOWEST = SPEEDS[0]
const FASTEST = SPEEDS[SPEEDS.length - 1] ?? SLOWEST

export function describeReplay(): Command {
  return new Command('simulator replay')
    .description('Shows a session again that was recorded with --transcript.')
    .argument('<file>', 'the transcript')
    .addOption(
      timed('--speed <times>', `how many times as fast, ${SLOWEST} to ${FASTEST}`, readSpeed, 1, '1'),
    )
    .addOption(timed('--from <time>', 'where to begin, such as 90s or 1m30s', readDurationMs, 0, '0s'))
    .addOption(
      timed('--max-idle <time>', 'what nothing happens in is shortened to that', readDurationMs, 3_000, '3s'),
    )
    .option('--headless', 'no screen: print the happenings as lines of JSON, at once', false)
}

function timed(
  flags: string,
  description: string,
  read: (text: string) => number,
  value: number,
  shown: string,
): Option {
  return new Option(flags, description).default(value, shown).argParser(read)
}

export function replayChoiceOf(command: Command): ReplayChoice {
  const { speed, from, maxIdle, headless } = command.opts<{
    speed: number
    from: number
    maxIdle: number
    headless: boolean
  }>()
  return { file: command.args[0] ?? '', headless, speed, fromMs: from, maxIdleMs: maxIdle }
}

function readSpeed(text: string): number {
  const speed = Number(text.replace(/[x×]$/, ''))
  if (speed >= SLOWEST && speed <= FASTEST) return speed
  throw new InvalidArgumentError(`A speed is a number from ${SLOWEST} to ${FASTEST}.`)
}

const DURATION = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?$/

/** Reads `90`, `90s`, `1m30s`, `1h`; a number alone is seconds. */
export function readDurationMs(text: string): number {
  const parts = text === '' ? null : DURATION.exec(text)
  if (!parts) throw new InvalidArgumentError('A time is such as 90s or 1m30s.')
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0))
  return ((hours * 60 + minutes) * 60 + seconds) * 1000
}
