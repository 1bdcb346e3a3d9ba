import type { SpeakerEvent } from '../../../speaker/device/state/speaker-events.ts'
import type { FeedItem } from '../../../speaker/feed.ts'
import { Histogram } from './histogram.ts'
import { PerSecond } from './per-second.ts'

/** How far a speaker has come: the one order of these states, worst first, as the table sorts them. */
export const LINK_STATES = [
  ...(['broken', 'refused', 'off', 'offline'] as const),
  ...(['connecting', 'born', 'new', 'connected'] as const),
] as const

/**
 * `new`: its turn to connect has not come. `born`: it waits for its welcome. `refused`: the hub does not take its
 * login. `off`: without power. `broken`: its memory failed.
 */
export type LinkState = (typeof LINK_STATES)[number]

/** What the fleet keeps of one speaker. Everything else is asked of the speaker itself, when it is looked at. */
export interface RosterRow {
  readonly index: number
  readonly serial: string
  link: LinkState
  /** Whether it is registered with a shop; undefined before its first welcome. */
  linked: boolean | undefined
  shop: string
  /** The amount that it spoke last; empty before the first. */
  lastAmount: string
  /** Sentences that it began, and ended, to speak. */
  announced: number
  played: number
  /** Payments that it shows, or showed last, as missed. */
  missed: number
  /** Commands that it refused, and why it refused the last one. */
  failed: number
  lastFailure: string
  /** Welcomes after the first. */
  reconnects: number
  /** Milliseconds of its last connecting, CONNECT to welcome. */
  connectMs: number | undefined
  /** Milliseconds from the last callback for it to the sentence; undefined before the first. */
  speechMs: number | undefined
  connectAtMs: number
  welcomed: boolean
}

/** Sums over the fleet, kept with every event. */
export interface RosterTotals {
  links: Record<LinkState, number>
  /** Speakers that were welcomed at least once. */
  welcomed: number
  reconnects: number
  announced: number
  played: number
  failed: number
  /** Speakers that are speaking at this moment. */
  speaking: number
}

/** The fleet as its speakers' feeds tell it: kept with each event, so that nobody has to look at all of them. */
export class Roster {
  readonly rows: readonly RosterRow[]
  readonly totals: RosterTotals
  readonly connectTimes = new Histogram()
  readonly connects = new PerSecond()
  readonly announcements = new PerSecond()
  /** The indexes of those that are speaking. */
  readonly #speaking = new Set<number>()

  constructor(serials: readonly string[]) {
    this.rows = serials.map(newRow)
    this.totals = {
      links: {
        broken: 0,
        refused: 0,
        offline: 0,
        off: 0,
        new: serials.length,
        connecting: 0,
        born: 0,
        connected: 0,
      },
      ...{ welcomed: 0, reconnects: 0, announced: 0, played: 0, failed: 0, speaking: 0 },
    }
  }

  /** Takes in what the feed of the speaker with this index has told. */
  on(index: number, item: FeedItem): void {
    const row = this.rows[index]
    if (!row) return
    if (item.kind === 'event') this.#happened(row, item.event, item.atMs)
    else if (item.note.direction === 'out') {
      if (item.note.packet === 'connect') {
        row.connectAtMs = item.atMs
        this.#becomes(row, 'connecting')
      } else if (item.note.message?.topic === 'birth') this.#becomes(row, 'born')
    }
  }

  /** Sets right what no event tells: the cable was pulled before there was a session. */
  settle(index: number, isOffline: boolean): void {
    const row = this.rows[index]
    if (row && isOffline && (row.link === 'connecting' || row.link === 'born')) this.#becomes(row, 'offline')
  }

  #happened(row: RosterRow, event: SpeakerEvent, atMs: number): void {
    switch (event.event) {
      case 'connected':
        this.#connected(row, event.linked, atMs)
        return
      case 'disconnected':
      case 'offline':
        this.#becomes(row, 'offline')
        return
      case 'refused':
      case 'broken':
        this.#becomes(row, event.event)
        return
      case 'power':
        if (!event.on) this.#silence(row)
        this.#becomes(row, event.on ? 'offline' : 'off')
        return
      case 'profile':
        row.shop = event.name
        row.linked = event.name !== ''
        return
      case 'announce':
        this.#announced(row, event.amount, atMs)
        return
      case 'played':
        row.played += 1
        this.totals.played += 1
        this.#silence(row)
        return
      case 'missed':
        row.missed = event.count
        return
      case 'failed':
        row.failed += 1
        row.lastFailure = event.rc
        this.totals.failed += 1
        return
      case 'fault':
      case 'vitals':
      case 'code':
      case 'qr':
      case 'cleared':
      case 'paid':
      case 'identify':
      case 'settings':
      case 'repeat':
      case 'dropped':
      case 'ignored':
      case 'recorded':
      case 'trouble':
        return
    }
  }

  #connected(row: RosterRow, linked: boolean, atMs: number): void {
    row.linked = linked
    row.connectMs = atMs - row.connectAtMs
    this.connectTimes.record(row.connectMs)
    this.connects.add(atMs)
    if (row.welcomed) {
      row.reconnects += 1
      this.totals.reconnects += 1
    } else this.totals.welcomed += 1
    row.welcomed = true
    this.#becomes(row, 'connected')
  }

  #announced(row: RosterRow, amount: string, atMs: number): void {
    row.announced += 1
    row.lastAmount = amount
    this.totals.announced += 1
    this.totals.speaking += 1
    this.#speaking.add(row.index)
    this.announcements.add(atMs)
  }

  /** It has ended its sentence, or lost its power in the middle of it. */
  #silence(row: RosterRow): void {
    if (this.#speaking.delete(row.index)) this.totals.speaking -= 1
  }

  #becomes(row: RosterRow, link: LinkState): void {
    this.totals.links[row.link] -= 1
    this.totals.links[link] += 1
    row.link = link
  }
}

function newRow(serial: string, index: number): RosterRow {
  return {
    ...{ index, serial, link: 'new', linked: undefined, shop: '', lastAmount: '' },
    ...{ announced: 0, played: 0, missed: 0, failed: 0, lastFailure: '', reconnects: 0 },
    ...{ connectMs: undefined, speechMs: undefined, connectAtMs: 0, welcomed: false },
  }
}

/** What is wrong with a speaker, in a word or two; undefined when nothing is. */
export function problemOf(row: RosterRow): string | undefined {
  switch (row.link) {
    case 'broken':
    case 'refused':
    case 'offline':
    case 'off':
      return row.link
    case 'new':
    case 'connecting':
    case 'born':
    case 'connected':
      if (row.missed > 0) return `missed ${row.missed}`
      return row.failed > 0 ? row.lastFailure : undefined
  }
}
