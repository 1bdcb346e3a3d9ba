import { CannotStart } from '../platform/errors.ts'
import type { Host } from '../platform/host.ts'
import type { Fault } from '../speaker/device/state/faults.ts'
import { fileMemory } from '../speaker/memory/file.ts'
import { lockMemory } from '../speaker/memory/lock.ts'
import { createSpeaker, type Speaker } from '../speaker/speaker.ts'
import { runControl } from './headless/control.ts'
import { type Outputs, outputsOf, type RecordingChoice, type SoundChoice } from './outputs.ts'
import { openView } from './view.ts'

/** How a speaker runs without a screen. */
export interface HeadlessChoice {
  headless: boolean
  /** Print every packet, too; add the time to each line. */
  packets: boolean
  timestamps: boolean
  /** Read control lines from the standard input. */
  control: boolean
}

/** A speaker as the command line asks for it. */
export interface SpeakerOptions extends HeadlessChoice, SoundChoice, RecordingChoice {
  /** Empty when a scenario has a hub of its own. */
  serial: string
  /** The device's secret K; empty when a scenario has a hub of its own. */
  key: Uint8Array
  url: string
  /** The folder of the speaker's memory. */
  stateDir: string
  /** What is wrong with it from the start. */
  faults: readonly Fault[]
}

/**
 * Runs a speaker until the first reason to stop. Throws `CannotStart` or `MemoryError`, also when the very first login
 * is refused or the memory breaks.
 */
export async function runSpeaker(options: SpeakerOptions, host: Host): Promise<void> {
  const { serial, key, url, stateDir, faults } = options
  const outputs = outputsOf(options, host)
  const unlock = lockMemory(stateDir, serial, host.pid)
  try {
    const memory = fileMemory(stateDir, serial)
    const { config } = outputs
    const speaker = createSpeaker({ serial, key, url, memory, faults, stopWhenRefused: true, config })
    await run(speaker, outputs, options, host)
  } finally {
    unlock()
  }
}

async function run(
  speaker: Speaker,
  outputs: Outputs,
  { control, ...options }: SpeakerOptions,
  host: Host,
): Promise<void> {
  const { stdout, stdin, env } = host
  const detach = outputs.attach(speaker)
  const reasons = [host.ended(), failureOf(speaker)]
  const view = await openView(speaker, { ...options, stdout, stdin, term: env.TERM, tmux: env.TMUX })
  const over = new AbortController()
  const { print } = view
  if (control) reasons.push(runControl(speaker, stdin, { print, signal: over.signal }))
  speaker.start()
  const failure = await Promise.race([...reasons, view.closed])
  over.abort()
  await detach(speaker.stop())
  await view.close()
  if (failure !== undefined) throw new CannotStart(failure)
}

/** Resolves with a sentence when the speaker can't continue: its memory broke, or its very first login was refused. */
export function failureOf(speaker: Pick<Speaker, 'subscribe'>): Promise<string | undefined> {
  return new Promise((resolve) => {
    speaker.subscribe((item) => {
      if (item.kind !== 'event') return
      const { event } = item
      if (event.event === 'broken') resolve(event.reason)
      if (event.event === 'refused' && event.retryInMs === undefined)
        resolve('The hub refused this speaker: wrong serial or key. Check what `hub device add` printed.')
    })
  })
}
