import process from 'node:process'
import { type CliOptions, readCli } from './cli.ts'
import { fileMemory } from './device/memory/file.ts'
import { lockMemory } from './device/memory/lock.ts'
import { MemoryError } from './device/memory/memory.ts'
import { runHeadless } from './headless.ts'
import { createSpeaker, type Speaker } from './speaker.ts'
import { canDraw } from './ui/terminal.ts'

/** The process: arguments, signals, exit codes. 0 switched off, 1 refused or broken, 2 wrong usage. */
async function main(): Promise<number> {
  const cli = readCli(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })
  if (cli.kind === 'exit') return cli.code
  try {
    return await run(cli.options)
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    return complain(error.message)
  }
}

/** Switches the speaker on, and off again at the first reason to. */
async function run({ serial, key, url, stateDir, headless }: CliOptions): Promise<number> {
  const unlock = lockMemory(stateDir, serial, process.pid)
  try {
    return await live(createSpeaker({ serial, key, url, memory: fileMemory(stateDir, serial) }), headless)
  } finally {
    unlock()
  }
}

async function live(speaker: Speaker, headless: boolean): Promise<number> {
  const reasons = [signalled(), failureOf(speaker), outputClosed()]
  const view =
    headless || !canDraw(process.stdout, process.env.TERM) ? showHeadless(speaker) : await showScreen(speaker)
  speaker.start()
  const failure = await Promise.race([...reasons, view.closed])
  await speaker.stop()
  await view.close()
  return failure === undefined ? 0 : complain(failure)
}

/** One way to look at the speaker. `closed` resolves when the person has closed it. */
interface View {
  closed: Promise<undefined>
  close(): Promise<void>
}

function showHeadless(speaker: Speaker): View {
  const end = runHeadless(speaker, (line) => process.stdout.write(line))
  return { closed: new Promise(() => {}), close: async () => end() }
}

/** Ink and React are loaded only for those who want to see them: headless speakers start by the hundred. */
async function showScreen(speaker: Speaker): Promise<View> {
  // React's development build keeps a measurement of each rendering for ever: hours would fill the memory.
  process.env.NODE_ENV ??= 'production'
  const { renderSpeaker } = await import('./ui/render.tsx')
  return renderSpeaker({ speaker, controls: speaker, stdout: process.stdout, stdin: process.stdin })
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
  let welcomedBefore = false
  return new Promise((resolve) => {
    speaker.subscribe((item) => {
      if (item.kind !== 'happening') return
      const { happening } = item
      if (happening.event === 'connected') welcomedBefore = true
      if (happening.event === 'broken') resolve(happening.reason)
      if (happening.event === 'refused' && !welcomedBefore)
        resolve('The hub refused this speaker: wrong serial or key. Check what `hub device add` printed.')
    })
  })
}

function complain(sentence: string): 1 {
  process.stderr.write(`${sentence}\n`)
  return 1
}

process.exitCode = await main()
