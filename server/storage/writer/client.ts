import { createTurns, type Turns } from '../../platform/turns.ts'
import type { StorageObserver } from '../ports.ts'
import { unavailable } from '../shared/storage-errors.ts'
import { type ActName, actsThat, type CallAct } from './acts.ts'
import { type Call, type FromWriter, type Observed, type Reply, type ToWriter, toError } from './wire.ts'

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
/**
 * A patient call waits at most this long for another call to leave with. The PUBACK to an ack, and the device's next
 * command, come that much later: the device is still speaking.
 *
 * Why: the two acks of a payment share the commit of the next payment. Measured at 50 and 200 payments a second: a
 * payment takes 1.3 and 0.9 commits; 1.8 and 1.0 with a wait of 10 ms; 2.8 and 2.5 without. A wait of 40 ms saves 0.2
 * more at 50 a second.
 */
export const PATIENCE_MS = 25

/**
 * Calls the writer's thread. The owner of a call is the partner or the device that its first argument names, or else
 * its act. Calls of one owner are carried out in their order when all of them are acts of a partner, all short acts of a
 * device, or all acts of many commits; nothing else is promised. So an act that relies on any other one is called after
 * the answer of that one.
 */
export interface WriterClient {
  /** Carries out an act in the writer's thread; settles after its commit. */
  call: CallAct
  /** Calls that wait for their answer. */
  waiting(): number
  /**
   * Rejects the calls of partners that wait with UNAVAILABLE: the writer answers nobody. It still carries out those that it
   * has, so their outcome is unknown. Devices wait on: their connections would be closed.
   */
  refusePartners(): void
  /** Lets the writer commit all calls so far, and ends its thread. */
  close(): Promise<void>
}

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

/** Takes calls from their owners in turn, gathers those of one turn of the event loop, and matches answers to calls. */
export function createWriterClient(thread: WriterThread, observe: StorageObserver): WriterClient {
  const waiting = new Map<number, Waiting>()
  const partnerTurns = createTurns(AT_WRITER_LIMIT)
  const deviceTurns = createTurns(AT_WRITER_LIMIT)
  const longTurns = createTurns(LONG_AT_WRITER_LIMIT)
  const probeTurns = createTurns(PROBES_AT_WRITER_LIMIT)
  const inTurn = () => partnerTurns.waiting() + deviceTurns.waiting() + longTurns.waiting()
  /** The number of calls that wait for their turn, by owner. */
  const queued = new Map<string, number>()
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>()
  let batch: Call[] = []
  /** Sends the batch when the turn ends. */
  let soon: NodeJS.Immediate | undefined
  /** Sends a batch that holds patient calls only. */
  let later: NodeJS.Timeout | undefined
  let lastCallId = 0
  let isOver = false

  function sendBatch() {
    if (batch.length === 0) return
    const isJson = batch.every(({ act }) => PAYMENT_ACTS.has(act))
    thread.postMessage(isJson ? { json: JSON.stringify(batch) } : batch)
    batch = []
    clearImmediate(soon)
    clearTimeout(later)
    soon = undefined
    later = undefined
  }

  function send(call: Call) {
    batch.push(call)
    if (batch.length >= BATCH_LIMIT) sendBatch()
    else if (!PATIENT_ACTS.has(call.act)) soon ??= setImmediate(sendBatch)
    else later ??= setTimeout(sendBatch, PATIENCE_MS)
  }

  function turnsOf(act: ActName): Turns {
    if (act === 'answer') return probeTurns
    if (LONG_ACTS.has(act)) return longTurns
    return DEVICE_ACTS.has(act) ? deviceTurns : partnerTurns
  }

  /** Sends a call at the turn of its owner. */
  function sendInTurn(turns: Turns, call: Call, owner: string) {
    let isSent = false
    let isQueued = false
    turns.take(owner, () => {
      isSent = true
      if (isQueued) countQueued(owner, -1)
      send(call)
    })
    if (isSent) return
    isQueued = true
    countQueued(owner, 1)
  }

  function countQueued(owner: string, change: 1 | -1) {
    const count = (queued.get(owner) ?? 0) + change
    if (count > 0) queued.set(owner, count)
    else queued.delete(owner)
  }

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
    if (isOver && inTurn() === 0) drain()
  })

  const ended = thread.ended.then(() => {
    isOver = true
    drain()
    for (const { reject } of waiting.values()) reject(unavailable())
    waiting.clear()
  })

  return {
    call(act, args) {
      const owner = ownerOf(act, args[0])
      if (isOver || waiting.size >= WAITING_LIMIT || (queued.get(owner) ?? 0) >= OWNER_LIMIT)
        return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        lastCallId += 1
        const turns = turnsOf(act)
        // The map holds calls of every act; each answer carries the value of its own act.
        waiting.set(lastCallId, { turns, resolve: resolve as (value: unknown) => void, reject })
        sendInTurn(turns, { callId: lastCallId, act, args }, owner)
      })
    },
    waiting: () => waiting.size,
    refusePartners() {
      for (const { turns, reject } of waiting.values()) if (turns === partnerTurns) reject(unavailable())
    },
    async close() {
      isOver = true
      if (inTurn() > 0) await drained
      sendBatch()
      thread.postMessage('close')
      await ended
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
