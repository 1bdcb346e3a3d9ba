import process from 'node:process'
import { type CliOptions, readCli } from './cli.ts'
import { fileMemory } from './device/memory/file.ts'
import { lockMemory } from './device/memory/lock.ts'
import { MemoryError } from './device/memory/memory.ts'
import { runControl } from './headless/control.ts'
import { createSpeaker, type Speaker } from './speaker.ts'
import { openView } from './view.ts'

/**
 * The process: arguments, signals, exit codes. 0 switched off, or a scenario met; 1 refused, broken, or a scenario
 * not met; 2 wrong usage, or a scenario that is none.
 */
async function main(): Promise<number> {
  const cli = readCli(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })
  if (cli.kind === 'exit') return cli.code
  try {
    return cli.options.scenario ? await play(cli.options) : await run(cli.options)
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    return complain(error.message)
  }
}

/** Switches the speaker on, and off again at the first reason to. */
async function run(options: CliOptions): Promise<number> {
  const { serial, key, url, stateDir, faults } = options
  const unlock = lockMemory(stateDir, serial, process.pid)
  try {
    const memory = fileMemory(stateDir, serial)
    return await live(createSpeaker({ serial, key, url, memory, faults, givesUp: true }), options)
  } finally {
    unlock()
  }
}

async function live(speaker: Speaker, options: CliOptions): Promise<number> {
  const reasons = [signalled(), failureOf(speaker), outputClosed()]
  const view = await openView(speaker, { ...options, stdout: process.stdout, stdin: process.stdin })
  const over = new AbortController()
  const { print } = view
  if (options.control) reasons.push(runControl(speaker, process.stdin, { print, signal: over.signal }))
  speaker.start()
  const failure = await Promise.race([...reasons, view.closed])
  over.abort()
  await speaker.stop()
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

function complain(sentence: string): 1 {
  process.stderr.write(`${sentence}\n`)
  return 1
}

process.exitCode = await main()
