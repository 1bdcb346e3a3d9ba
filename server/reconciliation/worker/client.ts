import { Worker } from 'node:worker_threads'
import { createTurns } from '../../platform/turns.ts'
import { Unreadable } from '../model/statement.ts'
import { type Matching, matchingHere } from './matching.ts'
import type { Call, Reply } from './wire.ts'

const MAIN = new URL('./main.ts', import.meta.url)
/** Of a thread: a hundred thousand rows and as many payments take a third of it. */
const MOST_MEMORY_MB = 768
/** Threads of a process at a time: files wait, and payments do not. */
const THREADS = 2
/** Rows and payments that are matched in this thread: some milliseconds. */
const FEW = 500

export type StoredMatching = Pick<Matching, 'addRows' | 'addPayments' | 'run' | 'outcomes' | 'end'>

/** Where statements are read and matched. */
export interface Matchings {
  /** In a thread of its own, once there is a place for it. */
  inThread(): Promise<Matching>
  /** Stored rows: few of them in this thread, and many in another one, which starts when they are so many. */
  stored(): StoredMatching
}

export function createMatchings(): Matchings {
  const turns = createTurns(THREADS)
  async function inThread(): Promise<Matching> {
    await new Promise<void>((resolve) => turns.take('', resolve))
    return startThread(turns.release)
  }
  return { inThread, stored: () => matchingStored(inThread) }
}

function startThread(released: () => void): Matching {
  const worker = new Worker(MAIN, { resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB } })
  // A process that stops waits for no thread that has nothing to do.
  worker.unref()
  const ended = new Promise<Error>((resolve) => {
    worker.once('error', resolve)
    worker.once('exit', () => resolve(new Error('the thread that reads statements has ended')))
  })
  let isOver = false

  async function call(asked: Call): Promise<unknown> {
    const reply = await Promise.race([
      new Promise<Reply>((resolve) => {
        worker.once('message', resolve)
        worker.ref()
        worker.postMessage(asked)
      }),
      ended,
    ])
    worker.unref()
    if (reply instanceof Error) throw reply
    if ('unreadable' in reply) throw new Unreadable(reply.unreadable.line, reply.unreadable.reason)
    if ('failure' in reply) throw new Error(reply.failure)
    return reply.value
  }

  // Each answer is that of its method.
  const method = <M extends Call['method']>(name: M) =>
    ((...args: Parameters<Matching[M]>) => call({ method: name, args } as Call)) as Matching[M]
  return {
    read: method('read'),
    preview: method('preview'),
    lines: method('lines'),
    addRows: method('addRows'),
    addPayments: method('addPayments'),
    addFile: method('addFile'),
    run: method('run'),
    outcomes: method('outcomes'),
    async end() {
      if (isOver) return
      isOver = true
      released()
      await worker.terminate()
    },
  }
}

function matchingStored(inThread: Matchings['inThread']): StoredMatching {
  let matching: Matching = matchingHere()
  const kept: {
    rows: Parameters<Matching['addRows']>[0][]
    payments: Parameters<Matching['addPayments']>[0][]
  } = {
    rows: [],
    payments: [],
  }
  let count = 0
  let isElsewhere = false

  async function move() {
    matching = await inThread()
    isElsewhere = true
    for (const rows of kept.rows) await matching.addRows(rows)
    for (const payments of kept.payments) await matching.addPayments(payments)
  }

  async function counted(added: number) {
    count += added
    if (!isElsewhere && count > FEW) await move()
    else if (isElsewhere) return true
    return false
  }

  return {
    async addRows(rows) {
      if (!isElsewhere) kept.rows.push(rows)
      if (await counted(rows.length)) await matching.addRows(rows)
    },
    async addPayments(payments) {
      if (!isElsewhere) kept.payments.push(payments)
      if (await counted(payments.length)) await matching.addPayments(payments)
    },
    async run(zone, targets) {
      if (!isElsewhere) {
        for (const rows of kept.rows) await matching.addRows(rows)
        for (const payments of kept.payments) await matching.addPayments(payments)
      }
      return matching.run(zone, targets)
    },
    outcomes: (skip) => matching.outcomes(skip),
    end: () => matching.end(),
  }
}
