import { readFileSync } from 'node:fs'
import { deriveKeys } from '../keys.ts'
import { readClauseList } from './case/clause-list.ts'
import { loadCases } from './case/load.ts'
import { assertDeclarable, type Profile, parseProfile, readProfile } from './case/profile.ts'
import { selectCases } from './case/select.ts'
import { UsageError } from './case/usage-error.ts'
import { type CliOptions, readCli } from './cli.ts'
import type { Demo } from './demo.ts'
import { certify, exitCodeOf } from './report/certificate.ts'
import { readClauses } from './report/clauses.ts'
import { makeFolder, writeFiles } from './report/files.ts'
import { jsonOf } from './report/json.ts'
import { listJson, listText } from './report/list.ts'
import { liveListener } from './report/live.ts'
import { paintFor } from './report/paint.ts'
import type { Report } from './report/report.ts'
import { closingLines } from './report/text.ts'
import { wrap } from './report/wrap.ts'
import type { Operator } from './run/operator.ts'
import { firstAvailable, rigOperator } from './run/rig-operator.ts'
import { runConformance } from './run/run.ts'
import { terminalOperator } from './run/terminal-operator.ts'
import { machineClock } from './wire/clock.ts'
import { type Listen, listenOn } from './wire/listen.ts'

const NEVER_CONNECTED = 'the device has not connected. Does it have this address, and can it reach it?'
const PACKAGE = new URL('../../package.json', import.meta.url)

/** The process in which the kit runs, the machine's time, and the device for `--demo`. */
interface Host {
  process: NodeJS.Process
  now: () => number
  demo: (() => Promise<Demo>) | undefined
}

/**
 * Runs the kit as a process: arguments, signals, exit codes. 0: no case failed. 1: a case failed. 2: wrong usage. 3: the
 * device did not connect, or the kit could not decide. 4: `--strict`, and the device is not certified.
 */
export async function conformance(
  process: NodeJS.Process,
  now: () => number,
  demo?: () => Promise<Demo>,
): Promise<void> {
  const code = await main({ process, now, demo })
  // Timers of an interrupted run would keep the process alive, so exit explicitly after flushing the output.
  process.exitCode = code
  process.stdout.write('', () => process.exit(code))
}

async function main(host: Host): Promise<number> {
  const { argv, env, stdout, stderr } = host.process
  const cli = readCli(argv.slice(2), env, {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
  })
  if (cli.kind === 'exit') return cli.code
  try {
    return cli.options.list ? list(cli.options, stdout) : await run(cli.options, host)
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof UsageError ? 2 : 3
  }
}

function list({ only, json }: CliOptions, stdout: NodeJS.WriteStream): number {
  const { cases } = selectCases(loadCases(), only, { slow: true })
  stdout.write(json ? `${JSON.stringify(listJson(cases))}\n` : listText(cases))
  return 0
}

async function run(options: CliOptions, host: Host): Promise<number> {
  const { waitMs, out, json, only } = options
  const { stdout, stderr } = host.process
  const stream = json ? stderr : stdout
  const clauses = readClauseList()
  const all = loadCases()
  const interruption = Promise.withResolvers<void>()
  let interrupted = false
  const interrupt = () => {
    interrupted = true
    interruption.resolve()
  }
  const device = options.demo ? await demoOf(host) : deviceOf(options, host, interrupt)
  assertDeclarable(device.profile, clauses)
  const { cases, leftOut } = selectCases(all, only, { slow: options.slow || options.demo })
  if (out !== undefined) makeFolder(out)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) host.process.once(signal, interrupt)
  const kit = versionOfKit()
  const { serial, key } = device
  if (device.about !== undefined) stream.write(`${wrap('', device.about).join('\n')}\n\n`)
  const report = await runConformance({
    ...{ kit, identity: { serial, key, keys: deriveKeys(key) }, cases, leftOut, waitMs },
    ...{ profile: device.profile, clock: device.clock, operator: device.operator, listen: device.listen },
    interrupted: interruption.promise,
    listener: liveListener((text) => stream.write(text), paintFor(stream), {
      ...{ kit, serial, host: device.host, waitMs, cases: cases.length },
    }),
  })
  await device.stop?.()
  const certificate = certify(report, { cases: all, list: clauses })
  print(report, certificate, options, host)
  if (device.caveat !== undefined) stream.write(`${device.caveat}\n`)
  if (!report.connected) stream.write(`${interrupted ? 'Interrupted' : 'Timed out'}: ${NEVER_CONNECTED}\n`)
  return exitCodeOf(certificate, options.strict)
}

function print(
  report: Report,
  certificate: ReturnType<typeof certify>,
  { out, json, strict, matrix }: CliOptions,
  { process: { stdout, stderr } }: Host,
): void {
  const given = { clauses: readClauses(), certificate, strict }
  if (out !== undefined) writeFiles(out, report, given)
  if (json) stdout.write(`${JSON.stringify(jsonOf(report, given))}\n`)
  if (!report.connected) return
  const stream = json ? stderr : stdout
  stream.write(`${closingLines({ ...given, report, matrix, paint: paintFor(stream) }).join('\n')}\n`)
}

/** The device under test: how it is reached, watched and operated. */
interface Device extends Pick<Demo, 'serial' | 'key' | 'profile' | 'clock' | 'operator'> {
  about?: string
  caveat?: string
  /** The address that the kit listens on. */
  host: string
  listen: Listen
  stop?: () => Promise<void>
}

function deviceOf(options: CliOptions, { process, now }: Host, interrupt: () => void): Device {
  const { serial, key, host, port } = options
  const profile = options.profile === undefined ? parseProfile('', '{}') : readProfile(options.profile)
  return {
    ...{ serial, key, profile, host, listen: listenOn(host, port), clock: machineClock(now) },
    operator: operatorFor(options, profile, process, interrupt),
  }
}

async function demoOf({ demo }: Host): Promise<Device> {
  if (!demo) throw new UsageError('--demo needs the simulator: npm run -s conformance -- --demo')
  const device = await demo()
  const host = '127.0.0.1'
  const listen = listenOn(host, 0)
  return {
    ...device,
    host,
    listen: async (serve) => {
      const server = await listen(serve)
      device.start(server.port)
      return server
    },
  }
}

/** Prefers the rig's commands. Asks a person for the rest, unless --auto is given or there is no terminal. */
function operatorFor(
  options: CliOptions,
  profile: Profile,
  { env, stdin, stdout, stderr }: NodeJS.Process,
  interrupt: () => void,
): Operator {
  const hooks = rigOperator(
    {
      powerCycle: options.powerCycle ?? profile.powerCycle,
      goodbye: options.goodbye ?? profile.goodbye,
      answers: options.answers ?? profile.answers,
    },
    env,
  )
  const attended = !options.auto && stdin.isTTY && stdout.isTTY
  return attended ? firstAvailable(hooks, terminalOperator(stdin, stderr, interrupt)) : hooks
}

function versionOfKit(): string {
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  return String(version)
}
