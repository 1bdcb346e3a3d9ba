import { Worker } from 'node:worker_threads'
import { createTurns, type Turns } from '../../platform/turns.ts'
import { PATIENCE_MS } from '../acts/act.ts'
import type { StorageObserver } from '../ports.ts'
import { unavailable } from '../shared/storage-errors.ts'
import { type ActName, actsThat, type CallAct } from './acts.ts'
import { toError } from './copies.ts'
import type { Call, FromWriter, Observed, Reply, ToWriter, WriterData } from './wire.ts'

/** Calls that may wait for their answer. Beyond it the hub answers 503, as the commit queue does. */
export const WAITING_LIMIT = 10_000
/** Calls of one owner that may wait for their turn, so that no owner fills the queue for all. */
export const OWNER_LIMIT = 2_000
/**
 * Calls of partners at the writer at a time, and as many of devices: what it commits in some 10 ms. All others wait
 * here, and are taken from their owners in turn. A payment with its acks is twice what 64 connections ask for at once.
 * Measured: while one partner asks for 400 payments at a time, another's takes 12 ms, and 24 without this limit.
 *
 * Why devices have places of their own: each of them is an owner. Among a thousand that ack at once, a partner would get
 * every thousandth turn, and its payments would wait for all acks.
 */
export const AT_WRITER_LIMIT = 128
/**
 * Acts that may take many commits at the writer at a time, births among them, beside the other calls. Only one of their
 * later pages goes with each commit: if they took the places of other calls, payments would wait for whole acts whenever
 * many devices have missed much.
 */
export const LONG_AT_WRITER_LIMIT = 64
/** Probes are not held up by acts that wait for a lock. */
const PROBES_AT_WRITER_LIMIT = 100
/** A batch of this many calls leaves before the turn ends: the writer may begin while more arrive. */
export const BATCH_LIMIT = 16
/** The writer's thread as its client sees it; `ended` resolves when the thread is over. */
export interface WriterThread {
  postMessage(message: ToWriter): void
  on(event: 'message', listener: (message: FromWriter) => void): unknown
  ended: Promise<void>
}

const PAYMENT_ACTS = actsThat('payment')
const DEVICE_ACTS = actsThat('device')
const LONG_ACTS = actsThat('long')
const PATIENT_ACTS = actsThat('patient')

interface Waiting {
  turns: Turns
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

export type WriterClient = ReturnType<typeof createWriterClient>

/**
 * Calls the writer's thread: takes calls from their owners in turn, gathers those of one turn of the event loop, and matches
 * answers to calls. The owner of a call is the partner or the device that its first argument names, or else
 * its act. Calls of one owner are carried out in their order when all of them are acts of a partner, all short acts of a
 * device, or all acts of many commits; nothing else is promised. So an act that relies on any other one is called after
 * the answer of that one.
 */
export function createWriterClient(thread: WriterThread, observe: StorageObserver) {
  const waiting = new Map<number, Waiting>()
  const places = createPlaces()
  const batch = createBatch((message) => thread.postMessage(message))
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>()
  let lastCallId = 0
  let isOver = false

  thread.on('message', (message) => {
    // The writer has written the JSON.
    const { answers, observed } = 'json' in message ? (JSON.parse(message.json) as Reply) : message
    for (const one of observed) report(observe, one)
    for (const answer of answers) {
      const call = waiting.get(answer.callId)
      waiting.delete(answer.callId)
      if ('failure' in answer) call?.reject(toError(answer.failure))
      else call?.resolve(answer.value)
      call?.turns.release()
    }
    if (isOver && places.waiting() === 0) drain()
  })

  const ended = thread.ended.then(() => {
    isOver = true
    drain()
    for (const { reject } of waiting.values()) reject(unavailable())
    waiting.clear()
  })

  /** Carries out an act in the writer's thread; settles after its commit. */
  const call: CallAct = (act, args) => {
    const owner = ownerOf(act, args[0])
    if (isOver || waiting.size >= WAITING_LIMIT || places.isFull(owner)) return Promise.reject(unavailable())
    return new Promise((resolve, reject) => {
      lastCallId += 1
      const turns = places.of(act)
      waiting.set(lastCallId, { turns, resolve, reject })
      const sent = { callId: lastCallId, act, args }
      places.take(turns, owner, () => batch.add(sent))
    })
  }

  return {
    call,
    /** Calls that wait for their answer. */
    waiting: () => waiting.size,
    /**
     * Rejects the calls of partners that wait with UNAVAILABLE: the writer answers nobody. It still carries out those that
     * it has, so their outcome is unknown. Devices wait on: their connections would be closed.
     */
    refusePartners() {
      for (const { turns, reject } of waiting.values()) if (turns === places.ofPartners) reject(unavailable())
    },
    /** Lets the writer commit all calls so far, and ends its thread. */
    async close(): Promise<void> {
      isOver = true
      if (places.waiting() > 0) await drained
      batch.send()
      thread.postMessage('close')
      await ended
    },
  }
}

/** The places of calls at the writer, and the calls that wait for one. */
function createPlaces() {
  const ofPartners = createTurns(AT_WRITER_LIMIT)
  const ofDevices = createTurns(AT_WRITER_LIMIT)
  const ofLongActs = createTurns(LONG_AT_WRITER_LIMIT)
  const ofProbes = createTurns(PROBES_AT_WRITER_LIMIT)
  /** The number of calls that wait for their turn, by owner. */
  const queued = new Map<string, number>()

  function countQueued(owner: string, change: 1 | -1) {
    const count = (queued.get(owner) ?? 0) + change
    if (count > 0) queued.set(owner, count)
    else queued.delete(owner)
  }

  return {
    ofPartners,
    of(act: ActName): Turns {
      if (act === 'answer') return ofProbes
      if (LONG_ACTS.has(act)) return ofLongActs
      return DEVICE_ACTS.has(act) ? ofDevices : ofPartners
    },
    /** Whether no more calls of the owner may wait. */
    isFull: (owner: string) => (queued.get(owner) ?? 0) >= OWNER_LIMIT,
    /** Sends a call at the turn of its owner. */
    take(turns: Turns, owner: string, send: () => void) {
      let isSent = false
      let isQueued = false
      turns.take(owner, () => {
        isSent = true
        if (isQueued) countQueued(owner, -1)
        send()
      })
      if (isSent) return
      isQueued = true
      countQueued(owner, 1)
    },
    /** But for probes. */
    waiting: () => ofPartners.waiting() + ofDevices.waiting() + ofLongActs.waiting(),
  }
}

/** Gathers calls into a message. */
function createBatch(post: (message: ToWriter) => void) {
  let calls: Call[] = []
  /** Sends the batch when the turn ends. */
  let soon: NodeJS.Immediate | undefined
  /** Sends a batch that holds patient calls only. */
  let later: NodeJS.Timeout | undefined

  function send() {
    if (calls.length === 0) return
    const isJson = calls.every(({ act }) => PAYMENT_ACTS.has(act))
    post(isJson ? { json: JSON.stringify(calls) } : calls)
    calls = []
    clearImmediate(soon)
    clearTimeout(later)
    soon = undefined
    later = undefined
  }

  return {
    send,
    add(call: Call) {
      calls.push(call)
      if (calls.length >= BATCH_LIMIT) send()
      else if (!PATIENT_ACTS.has(call.act)) soon ??= setImmediate(send)
      else later ??= setTimeout(send, PATIENCE_MS)
    },
  }
}

/** The partner or the device that the first argument names. The act itself when it names none. */
function ownerOf(act: ActName, named: unknown): string {
  if (typeof named === 'string') return named
  if (typeof named !== 'object' || named === null) return act
  if ('clientId' in named && typeof named.clientId === 'string') return named.clientId
  return 'deviceId' in named && typeof named.deviceId === 'string' ? named.deviceId : act
}

function report(observe: StorageObserver, observed: Observed) {
  if (observed[0] === 'stage') observe.stage(observed[1], observed[2])
  else observe.commit(observed[1], observed[2])
}

const MAIN = new URL('./main.ts', import.meta.url)

/**
 * Starts the writer's thread. An error in it that belongs to no call ends the process, as it would without a thread.
 * No payment is lost by that: a payment is answered only when it is on disk.
 */
export function startWriterThread(data: WriterData): WriterThread {
  const worker = new Worker(MAIN, { workerData: data })
  let isClosing = false
  let failure: unknown
  // Thrown when the thread has ended: while it ends, Node.js sometimes drops what a listener throws.
  worker.on('error', (error) => {
    failure = error
  })
  worker.on('exit', (code) => {
    if (failure !== undefined) throw failure
    if (!isClosing) throw new Error(`the writer has ended by itself (${code})`)
  })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return {
    postMessage(message) {
      isClosing ||= message === 'close'
      worker.postMessage(message)
    },
    on: (event, listener) => worker.on(event, listener),
    ended,
  }
}
