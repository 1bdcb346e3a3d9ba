import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../platform/clock.ts'
import { messageOf } from '../platform/error-text.ts'
import { KNOWN_NAMES, type PlayerProgram } from './programs.ts'
import type { Player } from './voice.ts'
import { type Audio, writeWav } from './wav.ts'

/** A program that still runs this long after the end of its sound is stuck. */
const STUCK_AFTER_MS = 3_000
const LONGEST_REASON = 200

export interface PlayerOptions {
  /** Candidate programs, best first; the first one that works is kept. */
  programs: readonly PlayerProgram[]
  clock: Clock
  /** Called once, with a sentence, when no sound can be played. */
  onTrouble: (reason: string) => void
}

interface Sound {
  audio: Audio
  /** When the sound ends for the speaker, whatever the program does. */
  endsMs: number
}

/**
 * Plays sounds with a program of the system, one process per sound. Skips a sound whose time has passed while the
 * previous one was playing: an old announcement must not sound like a new one.
 */
export function createPlayer(options: PlayerOptions): Player {
  return new ProgramPlayer(options)
}

class ProgramPlayer implements Player {
  readonly #options: PlayerOptions
  #programs: readonly PlayerProgram[]
  #waiting: Sound[] = []
  #playing: { child: ChildProcess; cancelWatch: () => void } | undefined
  #folder: string | undefined
  #works = false
  #reported = false

  constructor(options: PlayerOptions) {
    this.#options = options
    this.#programs = options.programs
  }

  play(audio: Audio): void {
    const lengthMs = (1000 * audio.samples.length) / audio.rate
    this.#waiting.push({ audio, endsMs: this.#options.clock.now() + lengthMs })
    this.#next()
  }

  silence(): void {
    this.#waiting = []
    const playing = this.#playing
    this.#playing = undefined
    playing?.cancelWatch()
    // SIGKILL, because a program that handles SIGTERM may play its buffer first.
    playing?.child.kill('SIGKILL')
  }

  close(): void {
    this.silence()
    this.#programs = []
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }

  #next(): void {
    if (this.#playing) return
    const sound = this.#waiting.shift()
    if (!sound) return
    const [program] = this.#programs
    if (!program) this.#report(`no sound: none of ${KNOWN_NAMES} is installed`)
    else if (this.#options.clock.now() >= sound.endsMs) this.#next()
    else this.#start(sound, program)
  }

  #start(sound: Sound, program: PlayerProgram): void {
    try {
      this.#folder ??= mkdtempSync(join(tmpdir(), 'speaker-sound-'))
      const file = join(this.#folder, 'sound.wav')
      writeFileSync(file, writeWav(sound.audio))
      this.#watch(sound, program, file)
    } catch (error) {
      this.#report(`no sound: ${messageOf(error)}`)
    }
  }

  #watch(sound: Sound, program: PlayerProgram, file: string): void {
    const child = spawn(program.path, [...program.args, file], { stdio: ['ignore', 'ignore', 'pipe'] })
    let complaint = ''
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = `${complaint}${chunk}`.slice(0, LONGEST_REASON)
    })
    const end = (failure: string | undefined) => {
      if (this.#playing?.child !== child) return
      this.#playing.cancelWatch()
      this.#playing = undefined
      if (failure === undefined) this.#works = true
      else this.#failed(sound, `no sound from ${program.name}: ${firstLine(complaint) ?? failure}`)
      this.#next()
    }
    const cancelWatch = this.#options.clock.wakeAt(sound.endsMs + STUCK_AFTER_MS, () => {
      end('it does not end')
      child.kill('SIGKILL')
    })
    this.#playing = { child, cancelWatch }
    child.on('error', (error) => end(error.message))
    child.on('close', (code, signal) => end(code === 0 ? undefined : `it ended with ${code ?? signal}`))
  }

  /**
   * Replaces a program that has never worked with the next candidate. One that has worked stays; its failure may be
   * temporary.
   */
  #failed(sound: Sound, reason: string): void {
    if (!this.#works) this.#programs = this.#programs.slice(1)
    if (this.#works || this.#programs.length === 0) this.#report(reason)
    else this.#waiting.unshift(sound)
  }

  #report(reason: string): void {
    if (this.#reported) return
    this.#reported = true
    this.#options.onTrouble(reason)
  }
}

function firstLine(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '')
}
