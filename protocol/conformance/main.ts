import process from 'node:process'
import { deriveKeys } from '../keys.ts'
import { loadCases } from './case/load.ts'
import { type Profile, parseProfile, readProfile } from './case/profile.ts'
import { selectCases } from './case/select.ts'
import { UsageError } from './case/usage-error.ts'
import { type CliOptions, readCli } from './cli.ts'
import { readClauses } from './report/clauses.ts'
import { makeFolder, writeFiles } from './report/files.ts'
import { jsonOf } from './report/json.ts'
import { listJson, listText } from './report/list.ts'
import { liveListener } from './report/live.ts'
import { paintFor } from './report/paint.ts'
import { exitCodeOf, type Report } from './report/report.ts'
import { closingLines } from './report/text.ts'
import type { Operator } from './run/operator.ts'
import { firstAvailable, rigOperator } from './run/rig-operator.ts'
import { runConformance } from './run/run.ts'
import { terminalOperator } from './run/terminal-operator.ts'
import { machineClock } from './wire/clock.ts'
import { listenOn } from './wire/listen.ts'

const NEVER_CONNECTED = 'the device has not connected. Does it have this address, and can it reach it?'

/**
 * The process: arguments, signals, exit codes. 0: no case failed. 1: a case failed. 2: wrong usage. 3: the device did
 * not connect, or the kit could not decide.
 */
async function main(): Promise<number> {
  const cli = readCli(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })
  if (cli.kind === 'exit') return cli.code
  try {
    return cli.options.list ? list(cli.options) : await run(cli.options)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof UsageError ? 2 : 3
  }
}

function list({ only, json }: CliOptions): number {
  const { cases } = selectCases(loadCases(), only, { slow: true })
  process.stdout.write(json ? `${JSON.stringify(listJson(cases))}\n` : listText(cases))
  return 0
}

async function run(options: CliOptions): Promise<number> {
  const { serial, key, host, port, waitMs, out, json } = options
  const profile = options.profile === undefined ? parseProfile('', '{}') : readProfile(options.profile)
  const { cases, leftOut } = selectCases(loadCases(), options.only, options)
  if (out !== undefined) makeFolder(out)
  const stream = json ? process.stderr : process.stdout
  const interruption = Promise.withResolvers<void>()
  let interrupted = false
  const interrupt = () => {
    interrupted = true
    interruption.resolve()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  const report = await runConformance({
    ...{ identity: { serial, key, keys: deriveKeys(key) }, profile, cases, leftOut, waitMs },
    listen: listenOn(host, port),
    ...{ clock: machineClock(Date.now), operator: operatorFor(options, profile, interrupt) },
    interrupted: interruption.promise,
    listener: liveListener((text) => stream.write(text), paintFor(stream), {
      ...{ serial, host, waitMs, cases: cases.length },
    }),
  })
  printReport(report, options, stream)
  if (!report.connected) stream.write(`${interrupted ? 'Interrupted' : 'Timed out'}: ${NEVER_CONNECTED}\n`)
  return exitCodeOf(report)
}

function printReport(report: Report, { out, json }: CliOptions, stream: NodeJS.WriteStream): void {
  const clauses = readClauses()
  if (out !== undefined) writeFiles(out, report, clauses)
  if (json) process.stdout.write(`${JSON.stringify(jsonOf(report, clauses))}\n`)
  if (!report.connected) return
  stream.write(`${closingLines({ report, clauses, paint: paintFor(stream) }).join('\n')}\n`)
}

/** Prefers the rig's commands. Asks a person for the rest, unless --auto is given or there is no terminal. */
function operatorFor(options: CliOptions, profile: Profile, interrupt: () => void): Operator {
  const hooks = rigOperator(
    {
      powerCycle: options.powerCycle ?? profile.powerCycle,
      goodbye: options.goodbye ?? profile.goodbye,
      answers: options.answers ?? profile.answers,
    },
    process.env,
  )
  const attended = !options.auto && process.stdin.isTTY && process.stdout.isTTY
  return attended ? firstAvailable(hooks, terminalOperator(process.stdin, process.stderr, interrupt)) : hooks
}

const code = await main()
// Timers of an interrupted run would keep the process alive, so exit explicitly after flushing the output.
process.exitCode = code
process.stdout.write('', () => process.exit(code))
