import process from 'node:process'
import { deriveKeys } from '../keys.ts'
import { loadCases } from './case/load.ts'
import { selectCases } from './case/select.ts'
import { readClauses } from './report/clauses.ts'
import { type CliOptions, readCli } from './cli.ts'
import type { Clock } from './wire/clock.ts'
import { type Profile, parseProfile, readProfile } from './case/profile.ts'
import { makeFolder, writeFiles } from './report/files.ts'
import { jsonOf } from './report/json.ts'
import { listJson, listText } from './report/list.ts'
import { liveListener } from './report/live.ts'
import { paintFor } from './report/paint.ts'
import { exitCodeOf, type Report } from './report/report.ts'
import { closingLines } from './report/text.ts'
import { peopleOfHooks, together } from './run/rig-operator.ts'
import type { People } from './run/operator.ts'
import { personAt } from './run/terminal-operator.ts'
import { runConformance } from './run/run.ts'
import { UsageError } from './case/usage-error.ts'

const NEVER_CAME = 'the device has not connected. Does it know this address, and may it go there?'

const systemClock: Clock = {
  now: () => Date.now(),
  wakeAt: (atMs, wake) => {
    const timer = setTimeout(wake, Math.max(0, atMs - Date.now()))
    return () => clearTimeout(timer)
  },
}

/**
 * The process: arguments, signals, exit codes. 0 nothing failed, 1 something did, 2 wrong usage, 3 the device never
 * came or the kit could not find out.
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
    ...{ identity: { serial, key, keys: deriveKeys(key) }, profile, cases, leftOut, host, port, waitMs },
    ...{ clock: systemClock, people: peopleFor(options, profile, interrupt) },
    interrupted: interruption.promise,
    listener: liveListener((text) => stream.write(text), paintFor(stream), {
      ...{ serial, host, waitMs, cases: cases.length },
    }),
  })
  tell(report, options, stream)
  if (!report.connected) stream.write(`${interrupted ? 'Interrupted' : 'Given up'}: ${NEVER_CAME}\n`)
  return exitCodeOf(report)
}

function tell(report: Report, { out, json }: CliOptions, stream: NodeJS.WriteStream): void {
  const clauses = readClauses()
  if (out !== undefined) writeFiles(out, report, clauses)
  if (json) process.stdout.write(`${JSON.stringify(jsonOf(report, clauses))}\n`)
  if (!report.connected) return
  stream.write(`${closingLines({ report, clauses, paint: paintFor(stream) }).join('\n')}\n`)
}

/** The rig's commands first; a person for the rest, unless nobody is to be asked or there is no terminal. */
function peopleFor(options: CliOptions, profile: Profile, interrupt: () => void): People {
  const hooks = peopleOfHooks(
    {
      powerCycle: options.powerCycle ?? profile.powerCycle,
      goodbye: options.goodbye ?? profile.goodbye,
      answers: options.answers ?? profile.answers,
    },
    process.env,
  )
  const attended = !options.auto && process.stdin.isTTY && process.stdout.isTTY
  return attended ? together(hooks, personAt(process.stdin, process.stderr, interrupt)) : hooks
}

const code = await main()
// Timers of a run that was interrupted would hold the process; what was printed must still go out.
process.exitCode = code
process.stdout.write('', () => process.exit(code))
