import { setTimeout as sleep } from 'node:timers/promises'
import { formatAmount } from '../../../protocol/money/amount.ts'
import type { EventType } from '../../events/event.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { createRandomIds } from '../../platform/ids.ts'
import { when } from '../for-people.ts'
import { createEventReader, type EventJson, type EventReader, PAGE } from './event-reader.ts'
import { type Forwarded, forward } from './forward.ts'
import { hubAddress } from './hub-address.ts'
import { listenSecret, secretFolder } from './listen-secret.ts'
import { printable } from './output.ts'
import { partnerSecret } from './partner-secret.ts'
import { openTerminal } from './terminal.ts'
import { configuredFolder } from './workspace.ts'

/** Between two reads: events that come one by one must not use up the partner's requests. */
const READ_EVERY_MS = 200
/** Between two attempts while no hub answers. */
const AGAIN_MS = 1_000

export interface ListenOptions {
  client: string
  /** All when absent. */
  types?: readonly EventType[]
  /** In place of `types`: waits for one event of this type, and ends. */
  once?: EventType
  forwardTo?: string
  /** The hub's address; found in the data folder when absent. */
  url?: string
  newSecret?: boolean
}

/** Where the lines go. `write` resolves when the next one may follow. */
interface Output {
  write(json: object, text: string): Promise<void>
  complain(sentence: string): void
  /** Ends the listening. */
  stopping: AbortSignal
}

interface Listening {
  reader: EventReader
  /** It signs the forwards. */
  secret: string
  clock: Clock
}

/** Listens until a signal ends the process, its output is closed, or the one event has come. */
export async function listenOnTerminal(options: ListenOptions, asJson: boolean) {
  const { print, room, complain, stopping } = openTerminal(asJson)
  const output: Output = {
    stopping,
    complain,
    async write(json, text) {
      print(json, text)
      await room()
    },
  }
  const isDone = await prepare(options, output)
    .then((listening) => listen(listening, options, output))
    .catch((error: unknown) => {
      if (!stopping.aborted) throw error
      return options.once === undefined
    })
  if (!isDone) process.exitCode = 1
}

/** Finds the hub and both secrets. No database stays open, so nothing is locked. */
async function prepare(options: ListenOptions, { stopping, complain }: Output): Promise<Listening> {
  const { client: clientId, url, newSecret: isNew = false } = options
  const base = () => url ?? hubAddress(configuredFolder())
  const clientSecret = await partnerSecret(clientId, { isElsewhere: url !== undefined, stopping })
  const folder = secretFolder(process.env)
  const make = () => createRandomIds().webhookSecret()
  return {
    reader: createEventReader({ base, clientId, clientSecret, types: typesOf(options), stopping }),
    secret: listenSecret({ folder, clientId, isNew, make, complain }),
    clock: systemClock,
  }
}

const typesOf = ({ types, once }: ListenOptions) => (once === undefined ? types : [once])

/**
 * Prints the events of a partner from now on, and forwards each before it reads further: a slow receiver holds up the
 * reading, and nothing piles up in memory. Resolves with false when the event of `once` has not come, or when the receiver
 * did not accept it.
 */
export async function listen(
  { reader, secret, clock }: Listening,
  options: ListenOptions,
  output: Output,
): Promise<boolean> {
  const { client, types, once, forwardTo } = options
  const { write, complain, stopping } = output
  const after = await reader.newest()
  const about = forwardTo === undefined ? '' : ` Forwarding to ${forwardTo}, signed with ${secret}`
  // The output of a script's command is the event alone.
  if (once !== undefined) complain(`Waiting for ${once} of ${client}.${about}`)
  else
    await write(
      { event: 'listening', clientId: client, types, forwardTo, secret },
      `Listening to ${client}; Ctrl+C ends it.${about}`,
    )

  for await (const event of eventsFrom(after, reader, clock, output)) {
    await write(event, describeEvent(event))
    const result =
      forwardTo === undefined
        ? undefined
        : await forward(
            { url: forwardTo, secret, clock, stopping },
            { id: event.id, body: JSON.stringify(event) },
          )
    if (stopping.aborted) break
    if (once !== undefined) {
      if (result) complain(describeForward(result).trim())
      return result === undefined || isTaken(result)
    }
    if (result) await write({ event: 'forwarded', id: event.id, ...result }, describeForward(result))
  }
  return once === undefined
}

/** The events behind `after` until the stop. Goes on when the hub is back, and says what has come meanwhile. */
async function* eventsFrom(
  first: string,
  reader: EventReader,
  clock: Clock,
  { write, complain, stopping }: Output,
): AsyncGenerator<EventJson> {
  const rest = (ms: number) => sleep(ms, undefined, { signal: stopping })
  let after: string | undefined = first
  let awaySince: number | undefined
  while (!stopping.aborted) {
    const found = await reader.read(after, { atOnce: awaySince !== undefined })
    if (stopping.aborted) return
    switch (found.kind) {
      case 'away':
        if (awaySince === undefined)
          complain(`The hub does not answer (${found.why}). The command tries again, and misses no event.`)
        awaySince ??= clock.elapsed()
        await rest(AGAIN_MS)
        break
      case 'busy':
        await rest(found.waitMs)
        break
      case 'gone':
        complain('Events were deleted before they could be read: it goes on with the oldest that is kept.')
        after = undefined
        break
      case 'page':
        if (awaySince !== undefined) {
          const [awayMs, missed] = [Math.round(clock.elapsed() - awaySince), found.events.length]
          await write({ event: 'back', awayMs, missed }, describeReturn(awayMs, missed))
          awaySince = undefined
        }
        for (const event of found.events) {
          if (stopping.aborted) return
          yield event
        }
        after = found.next
        if (found.events.length < PAGE) await rest(READ_EVERY_MS)
    }
  }
}

export function describeReturn(awayMs: number, missed: number): string {
  return `The hub answers again after ${Math.round(awayMs / 1_000)} s: ${haveEvents(missed)} come meanwhile.`
}

function haveEvents(missed: number): string {
  if (missed === 0) return 'no events have'
  if (missed === 1) return '1 event has'
  return missed === PAGE ? `${PAGE} or more events have` : `${missed} events have`
}

/** The fields of an event's data that a line shows, in this order. */
const FIRST = [
  'terminalID',
  'billNumber',
  'deviceSerial',
  'ftCode',
  'outcome',
  'reason',
  'battery',
  'keyedId',
] as const

type Described = Pick<EventJson, 'timestamp' | 'type' | 'id' | 'data'>

export function describeEvent({ timestamp, type, id, data }: Described): string {
  const { transactionAmount } = data
  const amount = transactionAmount === undefined ? [] : [formatAmount(String(transactionAmount))]
  const facts = FIRST.filter((name) => (data[name] ?? '') !== '').map((name) => `${name} ${data[name]}`)
  return printable([when(Date.parse(timestamp)), type, id, ...amount, ...facts].join('  '))
}

const isTaken = (result: Forwarded) => 'status' in result && result.status >= 200 && result.status < 300

export function describeForward(result: Forwarded): string {
  return 'error' in result
    ? `  not forwarded, ${result.ms} ms: ${result.error}`
    : `  ${isTaken(result) ? 'forwarded' : 'refused'}: ${result.status}, ${result.ms} ms`
}
