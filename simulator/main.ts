import process from 'node:process'
import packageJson from '../package.json' with { type: 'json' }
import { CannotStart } from './cannot-start.ts'
import { type CliOptions, type CliOutput, readCli } from './cli.ts'
import { fileMemory } from './device/memory/file.ts'
import { lockMemory } from './device/memory/lock.ts'
import { MemoryError } from './device/memory/memory.ts'
import { asksForFleet, readFleetCli } from './fleet/cli.ts'
import { runControl } from './headless/control.ts'
import { type Sounding, setUpSound } from './sound/set-up.ts'
import { createSpeaker, type Speaker } from './speaker.ts'
import type { ReplayChoice } from './transcript/options.ts'
import { CUT_OFF, printReplay } from './transcript/print.ts'
import { readTranscript } from './transcript/read.ts'
import { recordTranscript } from './transcript/record.ts'
import { canDraw } from './ui/terminal.ts'
import { openView } from './view.ts'

/**
 * The process: arguments, signals, exit codes. 0 switched off, or a scenario met; 1 refused, broken, or a scenario
 * not met; 2 wrong usage, or a scenario that is none.
 */
async function main(): Promise<number> {
  const output = {
    out: (text: string) => void process.stdout.write(text),
    err: (text: string) => void process.stderr.write(text),
  }
  const args = process.argv.slice(2)
  withoutProfiling()
  if (asksForFleet(args)) return startFleet(args, output)
  const cli = readCli(args, process.env, output)
  if (cli.kind === 'exit') return cli.code
  try {
    if (cli.kind === 'replay') return await replay(cli.options)
    return cli.options.scenario ? await play(cli.options) : await run(cli.options)
  } catch (error) {
    if (!(error instanceof MemoryError || error instanceof CannotStart)) throw error
    return complain(error.message)
  }
}

/** React's development build keeps a measurement of each rendering for ever: a screen of hours would fill the memory. */
function withoutProfiling() {
  process.env.NODE_ENV ??= 'production'
}

/** The fleet is loaded only when it is asked for. */
async function startFleet(args: readonly string[], output: CliOutput): Promise<number> {
  const cli = readFleetCli(args, process.env, output)
  if (cli.kind === 'exit') return cli.code
  const { runFleet } = await import('./fleet/command.ts')
  const { env, pid, stdout, stderr, stdin } = process
  const onEnd = (end: () => void) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
    void outputClosed().then(end)
  }
  return runFleet(cli.options, { env, pid, stdout, stderr, stdin, onEnd })
}

/** Shows a recorded session again, until a person has seen enough of it; without a screen, all at once. */
async function replay({ file, headless, ...options }: ReplayChoice): Promise<number> {
  const transcript = readTranscript(file)
  const reasons = [signalled(), outputClosed()]
  if (headless || !canDraw(process.stdout, process.env.TERM)) {
    printReplay(transcript, options, (text) => process.stdout.write(text))
    return transcript.complete ? 0 : complain(CUT_OFF, 0)
  }
  const { renderReplay } = await import('./transcript/screen.tsx')
  const screen = renderReplay(transcript, options, { stdout: process.stdout, stdin: process.stdin })
  await Promise.race([...reasons, screen.closed])
  await screen.close()
  return 0
}

/** Switches the speaker on, and off again at the first reason to. */
async function run(options: CliOptions): Promise<number> {
  const { serial, key, url, stateDir, faults } = options
  const sounding = setUpSound({ ...options, searchPath: process.env.PATH })
  const config = sounding && { clipLengths: sounding.clipLengths }
  const unlock = lockMemory(stateDir, serial, process.pid)
  try {
    const memory = fileMemory(stateDir, serial)
    const known = { serial, key, url, memory, faults, givesUp: true }
    return await live(createSpeaker({ ...known, ...(config && { config }) }), options, sounding)
  } finally {
    unlock()
  }
}

async function live(speaker: Speaker, options: CliOptions, sounding: Sounding | undefined): Promise<number> {
  const { transcript: path, control } = options
  const stopRecording =
    path === undefined ? undefined : recordTranscript(speaker, { path, program: packageJson.version })
  const reasons = [signalled(), failureOf(speaker), outputClosed()]
  const { stdout, stdin, env } = process
  const view = await openView(speaker, { ...options, stdout, stdin, term: env.TERM })
  const over = new AbortController()
  const { print } = view
  if (control) reasons.push(runControl(speaker, process.stdin, { print, signal: over.signal }))
  const fallSilent = sounding?.attach(speaker)
  speaker.start()
  const failure = await Promise.race([...reasons, view.closed])
  over.abort()
  await Promise.all([speaker.stop(), fallSilent?.()])
  stopRecording?.()
  await view.close()
  return failure === undefined ? 0 : complain(failure)
}

/** What scenarios take is loaded only for them. */
async function play(options: CliOptions): Promise<number> {
  const { stageScenario } = await import('./scenario/stage.ts')
  const ended = await stageScenario(options, {
    env: process.env,
    stdout: process.stdout,
    stdin: process.stdin,
    pid: process.pid,
    interrupted: Promise.race([signalled(), outputClosed()]),
    failureOf,
  })
  if (ended.complaint !== undefined) process.stderr.write(`${ended.complaint}\n`)
  return ended.code
}

function signalled(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve(undefined))
  })
}

/** The reader of the output has gone (`| head -1`): nobody is left to speak to. */
function outputClosed(): Promise<undefined> {
  return new Promise((resolve, reject) => {
    process.stdout.on('error', (error: Error & { code?: string }) => {
      if (error.code === 'EPIPE') resolve(undefined)
      else reject(error)
    })
  })
}

/** Resolves with a sentence when the speaker can't go on: its memory broke, or its very first login was refused. */
function failureOf(speaker: Speaker): Promise<string> {
  return new Promise((resolve) => {
    speaker.subscribe((item) => {
      if (item.kind !== 'happening') return
      const { happening } = item
      if (happening.event === 'broken') resolve(happening.reason)
      if (happening.event === 'refused' && happening.retryInMs === undefined)
        resolve('The hub refused this speaker: wrong serial or key. Check what `hub device add` printed.')
    })
  })
}

function complain(sentence: string, code: 0 | 1 = 1): number {
  process.stderr.write(`${sentence}\n`)
  return code
}

process.exitCode = await main()
