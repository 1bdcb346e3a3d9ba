import { Worker } from 'node:worker_threads'
import type { Edit } from './edit.ts'
import type { Outcome, Tried } from './outcome.ts'

/** All runs on a right speaker take two seconds together. It is processor time, so a busy machine ends nothing. */
const MOST_CPU_MS = 15_000
const LOOK_EVERY_MS = 500

export interface TryOptions {
  threads: number
  onTried?: (tried: Tried) => void
}

/** Runs the kit on a speaker with each edit, in threads. Answers in the order of the edits. */
export async function tryAll(
  edits: readonly Edit[],
  { threads, onTried = () => undefined }: TryOptions,
): Promise<Tried[]> {
  const tried: Tried[] = []
  const waiting = [...edits.entries()]
  const work = async (): Promise<void> => {
    let thread = new Thread()
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, edit] = next
      const one = { edit, outcome: await thread.try(edit) }
      tried[index] = one
      onTried(one)
      if (thread.isOver) thread = new Thread()
    }
    await thread.end()
  }
  await Promise.all(Array.from({ length: threads }, work))
  return tried
}

class Thread {
  isOver = false
  /** Without the warning that Node strips types. */
  readonly #worker = new Worker(new URL('worker.ts', import.meta.url), { execArgv: ['--no-warnings'] })

  constructor() {
    // Also when no edit is being tried.
    this.#worker.on('error', () => {
      this.isOver = true
    })
  }

  async try(edit: Edit): Promise<Outcome> {
    const before = await this.#cpuMs()
    const ending = Promise.withResolvers<Outcome>()
    const onError = (error: unknown) => {
      this.isOver = true
      ending.resolve({ how: 'crashed', error: String(error) })
    }
    const watch = setInterval(() => {
      void this.#cpuMs().then((now) => {
        if (now - before < MOST_CPU_MS) return
        this.isOver = true
        ending.resolve({ how: 'hung' })
      })
    }, LOOK_EVERY_MS)
    this.#worker.on('message', ending.resolve).on('error', onError)
    this.#worker.postMessage(edit)
    const outcome = await ending.promise
    clearInterval(watch)
    this.#worker.off('message', ending.resolve).off('error', onError)
    if (this.isOver) await this.end()
    return outcome
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  async #cpuMs(): Promise<number> {
    try {
      const { user, system } = await this.#worker.cpuUsage()
      return (user + system) / 1_000
    } catch {
      // The thread has ended.
      return 0
    }
  }
}
