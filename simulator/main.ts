import process from 'node:process'
import { CannotStart, WrongUsage } from './platform/errors.ts'
import { type Host, hostOf } from './platform/host.ts'
import { type Cli, readCli } from './run/cli/cli.ts'
import { runSpeaker } from './run/run-speaker.ts'
import { showTranscript } from './run/transcript/show.ts'
import { MemoryError } from './speaker/memory/memory.ts'

/**
 * The process: arguments and exit codes. 0: switched off, scenario passed, or fleet lost nothing. 1: refused, broken,
 * scenario failed, or something lost. 2: wrong usage or an invalid scenario.
 */
async function main(): Promise<number> {
  withoutProfiling()
  const host = hostOf(process)
  const { stdout, stderr, env } = host
  const cli = readCli(process.argv.slice(2), env, {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
  })
  try {
    return await run(cli, host)
  } catch (error) {
    if (!(error instanceof MemoryError || error instanceof CannotStart)) throw error
    stderr.write(`${error.message}\n`)
    return error instanceof WrongUsage ? 2 : 1
  }
}

/** Loads the modules of scenarios and fleets only when they run. */
async function run(cli: Cli, host: Host): Promise<number> {
  switch (cli.kind) {
    case 'exit':
      return cli.code
    case 'speaker':
      await runSpeaker(cli.options, host)
      return 0
    case 'replay':
      await showTranscript(cli.options, host)
      return 0
    case 'scenario': {
      const { runScenarios } = await import('./run/scenario/command.ts')
      return runScenarios(cli.scenario, cli.options, host)
    }
    case 'box': {
      const { runBox } = await import('./run/boxes/run-box.ts')
      await runBox(cli.options, host)
      return 0
    }
    case 'merge': {
      const { runMerge } = await import('./run/fleet/merge/command.ts')
      return runMerge(cli.options, host)
    }
    case 'fleet': {
      const { runFleet } = await import('./run/fleet/command.ts')
      return runFleet(cli.options, host)
    }
  }
}

/**
 * React's development build keeps a measurement of each rendering for ever; a screen of hours would fill the memory.
 */
function withoutProfiling() {
  process.env.NODE_ENV ??= 'production'
}

process.exitCode = await main()
