import { parentPort, workerData } from 'node:worker_threads'
import { createReadVerbs } from '../../app/read-verbs.ts'
import { manageSessions } from '../../operators/manage-sessions.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { HubError } from '../../platform/errors.ts'
import { createRandomIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { cached } from '../../site/asset.ts'
import { ProbingCircuit } from '../../storage/circuit.ts'
import type { Storage } from '../../storage/ports.ts'
import { actsElsewhere, toFailure } from '../../storage/reader/acts.ts'
import { openToRead } from '../../storage/reader/open.ts'
import { hubRules } from '../../storage/rules.ts'
import { type Asked, createPages, isStream, type Pages } from '../routes/pages.ts'
import { yieldToPayments } from './priority.ts'
import type { FromPages, Known, Page, PagesData, ToPages } from './wire.ts'

/** Answers the requests of the hub's thread for pages. */
export async function serve() {
  const port = parentPort
  if (!port) throw new Error('this file runs as a thread of the hub, not as a program')
  // startThread passes this data.
  const { place, hubSince, logLevel } = workerData as PagesData
  const log = createLog(logLevel)
  void yieldToPayments(log)
  const send = (message: FromPages, moved: Parameters<typeof port.postMessage>[1] = []) =>
    port.postMessage(message, moved)
  const acts = actsElsewhere((call) => send({ call }))
  let known: Known = { now: Date.now(), retentionWaits: false }
  let aheadMs = 0
  const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs }
  let opened: { pages: Pages; close: Storage['close'] } | undefined
  let isStopped = false

  const open = cached(async () => {
    const ids = createRandomIds()
    const options = { ids, clock, rules: hubRules(ids), circuit: new ProbingCircuit(clock) }
    const {
      ports: storage,
      vault,
      close,
    } = await openToRead(place, acts.call, options).catch((cause: unknown) => {
      log.error({ err: cause }, 'the console can not open the database')
      throw new HubError('UNAVAILABLE', { cause })
    })
    const pages = createPages(
      {
        ...{ storage, hubSince, clock, retentionWaits: () => known.retentionWaits },
        verbs: createReadVerbs({ storage, vault, clock, ids }),
        sessions: manageSessions({ operators: storage.operators, clock, ids }),
      },
      log,
    )
    if (isStopped) pages.stop()
    opened = { pages, close }
    return pages
  })

  async function answer(id: number, asked: Asked) {
    try {
      const page = await pageOf(await open(), asked)
      send({ id, page }, page.body ? [page.body] : [])
    } catch (error) {
      send({ id, failure: toFailure(error) })
    }
  }

  port.on('message', async (message: ToPages) => {
    if (message === 'close') {
      await opened?.close()
      return port.close()
    }
    if (message === 'stop') {
      isStopped = true
      return opened?.pages.stop()
    }
    if ('done' in message) return acts.answered(message.done)
    known = message.known
    aheadMs = known.now - Date.now()
    if (message.ask) void answer(message.ask.id, message.ask.asked)
  })
}

/** The answer as it goes to the other thread. */
async function pageOf(pages: Pages, asked: Asked): Promise<Page> {
  const answer = await pages.answer(asked)
  const { status, headers } = answer
  const body = isStream(headers) ? answer.body : await answer.arrayBuffer()
  return { status, headers: [...headers], body }
}
