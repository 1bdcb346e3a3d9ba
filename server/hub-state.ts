import type { Readiness } from './app/operations.ts'

/** What a hub that serves depends on. */
interface Needs {
  /** Rejects when nothing can be stored. */
  ping(): Promise<void>
  isClockBehind(): boolean
}

/** Where a hub is in its life: starting ──serves──▶ serving ──stop──▶ draining. */
export class HubState {
  phase: 'starting' | 'serving' | 'draining' = 'starting'
  /** This hub alone does not reach PostgreSQL. */
  isCutOff = false
  #needs: Needs | undefined
  readonly #refused: (error: unknown) => void

  /** `refused` is called with the error of each probe that fails. */
  constructor(refused: (error: unknown) => void) {
    this.#refused = refused
  }

  serves(needs: Needs) {
    this.#needs = needs
    this.phase = 'serving'
  }

  async readiness(): Promise<Readiness> {
    if (this.phase !== 'serving') return this.phase
    if (this.isCutOff) return 'storage'
    try {
      await this.#needs?.ping()
    } catch (error) {
      this.#refused(error)
      return 'storage'
    }
    return this.#needs?.isClockBehind() ? 'clock' : 'ready'
  }
}
