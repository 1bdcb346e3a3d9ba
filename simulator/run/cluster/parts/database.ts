import { mkdirSync } from 'node:fs'
import type { Clock } from '../../../platform/clock.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'

/** The cluster's PostgreSQL, in a folder of its own, which may become that of another user. */
export class Database {
  state: 'stopped' | 'starting' | 'up' = 'stopped'
  sinceMs: number
  readonly #folder: string
  readonly #clock: Clock
  #server: PostgresServer | undefined
  /** The start under way. */
  #starting: Promise<void> = Promise.resolve()

  constructor(folder: string, clock: Clock) {
    this.#folder = folder
    this.#clock = clock
    this.sinceMs = clock.now()
    process.once('exit', this.#endWithUs)
  }

  get url(): string {
    if (!this.#server) throw new Error('PostgreSQL has not started yet')
    return this.#server.url
  }

  /** Starts the server. The first time, makes the folder and the database in it. */
  start(): Promise<void> {
    if (this.state !== 'stopped') return this.#starting
    this.#becomes('starting')
    this.#starting = this.#start().then(
      () => this.#becomes('up'),
      (error: unknown) => {
        this.#becomes('stopped')
        throw error
      },
    )
    return this.#starting
  }

  /** Ends all its processes at once, as a power cut does. Other systems than Linux don't name them: there it aborts. */
  async crash(): Promise<void> {
    if (this.state !== 'up' || !this.#server) return
    this.#becomes('stopped')
    if (process.platform === 'linux') await this.#server.killAll()
    else await this.#server.stop('SIGQUIT')
  }

  /** Resolves when its processes have ended, also when it is just starting. */
  async end(): Promise<void> {
    await this.#starting.catch(() => undefined)
    await this.#server?.stop('SIGQUIT')
    process.off('exit', this.#endWithUs)
  }

  async #start(): Promise<void> {
    if (this.#server) return this.#server.start()
    mkdirSync(this.#folder)
    this.#server = await startPostgres(this.#folder, { shared_buffers: '32MB' })
    if (!this.#server) throw new Error('PostgreSQL is not installed')
  }

  readonly #endWithUs = () => {
    const pid = this.#server?.pid
    if (this.state === 'up' && pid !== undefined) process.kill(pid, 'SIGQUIT')
  }

  #becomes(state: Database['state']): void {
    this.state = state
    this.sinceMs = this.#clock.now()
  }
}
