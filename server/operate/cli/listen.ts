import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventType, type PartnerEvent, toEventJson } from '../../events/event.ts'
import { isUnavailable, OperatorError } from '../../platform/errors.ts'
import { type Forwarded, forward } from './forward.ts'
import { printable, when } from './output.ts'
import { lookIntoWorkspace, type Workspace } from './workspace.ts'

/** Between two looks for new events. */
const LOOK_EVERY_MS = 200
/** Events that are in memory at a time. */
const PAGE = 100

export interface ListenOptions {
  client: string
  /** All when absent. */
  types?: readonly EventType[]
  forwardTo?: string
}

/** Where the lines go. `write` resolves when the next one may follow. */
interface Output {
  write(json: object, text: string): Promise<void>
  complain(sentence: string): void
  /** Ends the listening. */
  stopping: AbortSignal
}

/** Listens until a signal ends the process, or its output is closed. */
export async function listenOnTerminal(options: ListenOptions, asJson: boolean) {
  const ending = new AbortController()
  const stop = () => ending.abort()
  // Ctrl+C sends SIGINT twice: from the terminal and from npm.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
  // The reader of a pipe may leave first, as head does.
  process.stdout.on('error', stop)
  const inJson = asJson || !process.stdout.isTTY
  const stopping = ending.signal
  await lookIntoWorkspace((workspace) =>
    listen(workspace, options, {
      stopping,
      async write(json, text) {
        const isTaken = process.stdout.write(`${printable(inJson ? JSON.stringify(json) : text)}\n`)
        if (!isTaken) await once(process.stdout, 'drain', { signal: stopping })
      },
      complain: (sentence) => void process.stderr.write(`${printable(sentence)}\n`),
    }),
  ).catch((error: unknown) => {
    if (!stopping.aborted) throw error
  })
}

/**
 * Prints the events of a partner from now on, and forwards each before it reads further: a slow receiver holds up the
 * reading, and nothing piles up in memory.
 */
export async function listen(
  { storage, clock, ids }: Pick<Workspace, 'storage' | 'clock' | 'ids'>,
  { client, types, forwardTo }: ListenOptions,
  { write, complain, stopping }: Output,
) {
  if (!(await storage.partners.find(client)))
    throw new OperatorError(`There is no partner ${client}: see hub partner list.`)
  let after = (await storage.events.heads([client])).get(client) ?? 0
  const secret = ids.webhookSecret()
  const about = forwardTo === undefined ? '' : ` Forwarding to ${forwardTo}, signed with ${secret}`
  await write(
    { event: 'listening', clientId: client, types, forwardTo, secret },
    `Listening to ${client}; Ctrl+C ends it.${about}`,
  )

  let isAway = false
  while (!stopping.aborted) {
    const page = await storage.events.page(client, { after, types, limit: PAGE }).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
    })
    if (!page && !isAway)
      complain('The database does not answer. The command tries again, and misses no event.')
    isAway = !page
    for (const event of page?.events ?? []) {
      if (stopping.aborted) return
      const json = toEventJson(event)
      await write(json, describeEvent(event))
      if (forwardTo === undefined) continue
      const message = { id: event.id, body: JSON.stringify(json) }
      const result = await forward({ url: forwardTo, secret, clock, stopping }, message)
      if (!stopping.aborted)
        await write({ event: 'forwarded', id: event.id, ...result }, describeForward(result))
    }
    const next = Math.max(page?.next ?? 0, page?.deletedUpTo ?? 0, after)
    if (next === after) await sleep(LOOK_EVERY_MS, undefined, { signal: stopping })
    after = next
  }
}

/** The fields of an event's data that a line shows, in this order. */
const FIRST = ['terminalID', 'billNumber', 'deviceSerial', 'ftCode', 'outcome', 'reason', 'battery'] as const

export function describeEvent({ at, type, id, data }: PartnerEvent): string {
  const { transactionAmount: amount } = data
  const facts = FIRST.filter((name) => (data[name] ?? '') !== '').map((name) => `${name} ${data[name]}`)
  const parts = [when(at), type, id, ...(amount === undefined ? [] : [`${amount} VND`]), ...facts]
  return printable(parts.join('  '))
}

export function describeForward(result: Forwarded): string {
  return 'error' in result
    ? `  not forwarded, ${result.ms} ms: ${result.error}`
    : `  ${result.status >= 200 && result.status < 300 ? 'forwarded' : 'refused'}: ${result.status}, ${result.ms} ms`
}
