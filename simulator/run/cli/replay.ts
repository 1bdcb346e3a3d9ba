import { Command, Option } from 'commander'
import { SPEEDS } from '../transcript/replay.ts'
import type { ReplayOptions } from '../transcript/show.ts'
import { invalidValue, positionMs } from './values.ts'

const SLOWEST = SPEEDS[0]
const FASTEST = SPEEDS[SPEEDS.length - 1] ?? SLOWEST

export function describeReplay(): Command {
  const speed = new Option('--speed <times>', `speed factor, ${SLOWEST} to ${FASTEST}`)
  const from = new Option('--from <time>', 'where to start, such as 90s or 1m30s')
  const maxIdle = new Option('--max-idle <time>', 'idle stretches are shortened to this')
  return new Command('simulator replay')
    .description('Replays a session that was recorded with --transcript.')
    .argument('<file>', 'the transcript')
    .addOption(speed.default(1).argParser(readSpeed))
    .addOption(from.default(0, '0s').argParser(positionMs))
    .addOption(maxIdle.default(3_000, '3s').argParser(positionMs))
    .option('--headless', 'no screen: print the events as lines of JSON, at once')
    .helpOption('-h, --help', 'show this')
}

export function replayOptionsOf(command: Command): ReplayOptions {
  const {
    speed,
    from,
    maxIdle,
    headless = false,
  } = command.opts<{
    speed: number
    from: number
    maxIdle: number
    headless?: boolean
  }>()
  return { file: command.args[0] ?? '', headless, speed, fromMs: from, maxIdleMs: maxIdle }
}

function readSpeed(text: string): number {
  const speed = Number(text.replace(/[x×]$/, ''))
  return speed >= SLOWEST && speed <= FASTEST
    ? speed
    : invalidValue(`Give a speed from ${SLOWEST} to ${FASTEST}.`)
}
