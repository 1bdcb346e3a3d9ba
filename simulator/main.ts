import process from 'node:process'
import packageJson from '../package.json' with { type: 'json' }
import { CannotStart } from './cannot-start.ts'
import { type CliOptions, readCli } from './cli.ts'
import { fileMemory } from './device/memory/file.ts'
import { lockMemory } from './device/memory/lock.ts'
import { MemoryError } from './device/memory/memory.ts'
import { runHeadless } from './headless.ts'
import { type Sounding, setUpSound } from './sound/set-up.ts'
import { createSpeaker, type Speaker } from './speaker.ts'
import type { ReplayChoice } from './transcript/options.ts'
import { CUT_OFF, printReplay } from './transcript/print.ts'
import { readTranscript } from './transcript/read.ts'
import { recordTranscript } from './transcript/record.ts'

/** The process: arguments, signals, exit codes. 0 switched off, 1 refused or broken, 2 wrong usage. */
async function main(): Promise<number> {
  const cli = readCli(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })
  if (cli.kind === 'exit') return cli.code
  try {
    return cli.kind === 'replay' ? await replay(cli.options) : await run(cli.options)
  } catch (error) {
    if (!(error instanceof MemoryError || error instanceof CannotStart)) throw error
    return complain(error.message)
  }
}

/** Shows a recorded session again, until a person has seen enough of it; without a screen, all at once. */
async function replay({ file, headless, ...options }: ReplayChoice): Promise<number> {
  const transcript = readTranscript(file)
  const reasons = [signalled(), outputClosed()]
  if (headless || !process.stdout.isTTY) {
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
  const { serial, key, url, stateDir } = options
  const sounding = setUpSound({ ...options, searchPath: process.env.PATH })
  const config = sounding && { clipLengths: sounding.clipLengths }
  const unlock = lockMemory(stateDir, serial, process.pid)
  try {
    const memory = fileMemory(stateDir, serial)
    const speaker = createSpeaker({ serial, key, url, memory, ...(config && { config }) })
    return await live(speaker, options, sounding)
  } finally {
    unlock()
  }
}

async function live(
  speaker: Speaker,
  { headless, transcript }: CliOptions,
  sounding: Sounding | undefined,
): Promise<number> {
  const stopRecording =
    transcript === undefined
      ? undefined
      : recordTranscript(speaker, { path: transcript, program: packageJson.version })
  const reasons = [signalled(), failureOf(speaker), outputClosed()]
  const view = headless || !process.stdout.isTTY ? showHeadless(speaker) : await showScreen(speaker)
  const fallSilent = sounding?.attach(speaker)
  speaker.start()
  const failure = await Promise.race([...reasons, view.closed])
  await Promise.all([speaker.stop(), fallSilent?.()])
  stopRecording?.()
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
  const { renderSpeaker } = await import('./ui/render.tsx')
  return renderSpeaker({ speaker, stdout: process.stdout, stdin: process.stdin })
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

function complain(sentence: string, code: 0 | 1 = 1): number {
  process.stderr.write(`${sentence}\n`)
  return code
}

process.exitCode = await main()
