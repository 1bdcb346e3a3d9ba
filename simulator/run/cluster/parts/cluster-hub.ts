import type { ChildProcess } from 'node:child_process'
import { stopProcess } from '../../../platform/child-process.ts'
import type { Clock } from '../../../platform/clock.ts'
import { messageOf } from '../../../platform/error-text.ts'
import { PerSecond } from '../../fleet/model/per-second.ts'
import { FREE_LISTENERS, fixedPorts, spawnHub } from '../../hub/hub-process.ts'

/** `frozen`: stopped by SIGSTOP. `draining`: SIGTERM was sent, and it hands its speakers over. */
export type HubState = 'starting' | 'up' | 'frozen' | 'draining' | 'dead'

/** A hub waits for 60 s for PostgreSQL, then it ends. */
const READY_WITHIN_MS = 90_000

export interface ClusterHubOptions {
  /** From 1. */
  number: number
  env: NodeJS.ProcessEnv
  dataDir: string
  clock: Clock
  /** Called with a sentence for each change. */
  log: (line: string) => void
}

/** One hub of the cluster. It keeps its addresses over all its processes. */
export class ClusterHub {
  readonly name: string
  /** Callbacks that it has answered with 200. */
  readonly callbacks = new PerSecond()
  state: HubState = 'dead'
  sinceMs: number
  http = ''
  mqtt = ''
  admin = ''
  readonly #options: ClusterHubOptions
  #child: ChildProcess | undefined
  #ports: NodeJS.ProcessEnv | undefined
  /** Whether somebody has ended it, so that its exit needs no explanation. */
  #isEnding = false

  constructor(options: ClusterHubOptions) {
    this.#options = options
    this.name = `hub ${options.number}`
    this.sinceMs = options.clock.now()
  }

  /** Resolves when it is up, or has ended without being up. */
  async start(): Promise<void> {
    if (this.state !== 'dead') return
    const { env, dataDir, log } = this.#options
    this.#isEnding = false
    this.#becomes('starting')
    this.#ports ??= await fixedPorts()
    // It may be killed meanwhile.
    if (this.#isEnding) return this.#becomes('dead')
    const { child, ready } = spawnHub(
      { ...env, HUB_DATA_DIR: dataDir, ...FREE_LISTENERS, ...this.#ports },
      { lastSignal: 'SIGKILL', readyWithinMs: READY_WITHIN_MS },
    )
    this.#child = child
    child.once('exit', (code) => this.#ended(code))
    try {
      const { http, mqtt, admin } = await ready
      Object.assign(this, { http, mqtt, admin })
      // A hub may be killed before its ready line is read.
      if (this.#child === child && child.exitCode === null && child.signalCode === null) this.#becomes('up')
    } catch (error) {
      if (this.#isEnding) return
      log(`${this.name} did not start. ${messageOf(error)}`)
      await stopProcess(child, 'SIGKILL')
    }
  }

  /** kill -9: a crash. */
  kill(): void {
    this.#isEnding = true
    this.#child?.kill('SIGKILL')
  }

  /** SIGSTOP: it answers nothing and closes nothing. */
  freeze(): void {
    if (this.state === 'up' && this.#child?.kill('SIGSTOP')) this.#becomes('frozen')
  }

  /** SIGCONT: it goes on with its old sessions. */
  thaw(): void {
    if (this.state === 'frozen' && this.#child?.kill('SIGCONT')) this.#becomes('up')
  }

  /** SIGTERM: it hands its speakers over and ends. */
  drain(): void {
    if (this.state === 'up' && this.#child?.kill('SIGTERM')) this.#becomes('draining')
  }

  /** Resolves when its process has ended. */
  async end(): Promise<void> {
    this.#isEnding = true
    if (this.#child) await stopProcess(this.#child, 'SIGKILL')
  }

  #ended(code: number | null): void {
    const { log } = this.#options
    if (this.state === 'draining' && code === 0)
      log(`${this.name} has handed its speakers over, and has ended with exit code 0.`)
    else if (!this.#isEnding && this.state !== 'starting') log(`${this.name} has ended with ${code}.`)
    this.#becomes('dead')
  }

  #becomes(state: HubState): void {
    this.state = state
    this.sinceMs = this.#options.clock.now()
  }
}
