import { isUnavailable } from '../../../platform/errors.ts'

/** Acts of one commit. */
const BATCH = 50

interface Waiting<A, T> {
  call: A
  resolve: (answer: T) => void
  reject: (error: unknown) => void
}

/** Carries `act` out for so many calls: in a transaction of its own, or outside one for reads. It may run `act` again. */
export type Carry<X> = <T>(calls: number, act: (on: X) => Promise<T>) => Promise<T>

/**
 * A queue whose calls share transactions or reads: what arrives while a batch is under way is the next one. `run` answers
 * each call of a batch in its place, and may run twice. When the server has refused a batch, each of its calls runs by
 * itself; when there is no server, none does. The first call waits `patienceMs` for others.
 *
 * Why: a commit costs a flush of the log and two round trips, and a read one, whatever they hold.
 */
export function createBatches<X, A, T>(
  name: string,
  carry: Carry<X>,
  run: (on: X, calls: A[]) => Promise<T[]>,
  patienceMs = 0,
): (call: A) => Promise<T> {
  let waiting: Waiting<A, T>[] = []
  let isRunning = false
  let patience: NodeJS.Timeout | undefined

  async function answer(batch: Waiting<A, T>[]) {
    const answers = await carry(batch.length, (on) =>
      run(
        on,
        batch.map(({ call }) => call),
      ),
    )
    if (answers.length !== batch.length) throw new Error(`${name} has not answered each call of its batch`)
    // As many as there are calls.
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as T)
  }

  async function answerApart(batch: Waiting<A, T>[]) {
    for (const one of batch) await answer([one]).catch(one.reject)
  }

  async function answerNext() {
    const batch = waiting.slice(0, BATCH)
    waiting = waiting.slice(BATCH)
    try {
      await answer(batch)
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) await answerApart(batch)
      else for (const { reject } of batch) reject(error)
    }
  }

  async function runAll() {
    isRunning = true
    patience = undefined
    while (waiting.length > 0) await answerNext()
    isRunning = false
  }

  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject })
      if (isRunning) return
      if (patienceMs > 0 && waiting.length < BATCH) {
        patience ??= setTimeout(runAll, patienceMs)
        return
      }
      isRunning = true
      clearTimeout(patience)
      // In the next turn: calls of this one go together.
      setImmediate(runAll)
    })
}
