import type { SpeakerEvent } from '../../../speaker/device/state/speaker-events.ts'
import type { FeedItem } from '../../../speaker/feed.ts'
import type { SpeakerSnapshot } from '../../../speaker/snapshot.ts'
import { Histogram } from './histogram.ts'
import { PerSecond } from './per-second.ts'

/** The states of a speaker's link, worst first. The table sorts by this order. */
export const LINK_STATES = [
  ...(['broken', 'refused', 'off', 'offline'] as const),
  ...(['connecting', 'born', 'new', 'connected'] as const),
] as const

/**
 * `new`: its turn to connect has not come. `born`: waiting for the welcome. `refused`: the hub refused the login.
 * `off`: without power. `broken`: its memory failed.
 */
export type LinkState = (typeof LINK_STATES)[number]

/** What the fleet keeps for one speaker. Views read everything else from the speaker itself. */
export interface RosterRow {
  readonly index: number
  readonly serial: string
  link: LinkState
  /** Whether it is registered with a shop; undefined before its first welcome. */
  linked: boolean | undefined
  shop: string
  /** The amount of its last sentence; empty before the first. */
  lastAmount: string
  /** Sentences that it started, and finished. */
  announced: number
  played: number
  /** The count of missed payments that it shows, or showed last. */
  missed: number
  /** Commands that it refused, and the reason for the last one. */
  failed: number
  lastFailure: string
  /** Welcomes after the first. */
  reconnects: number
  /** Milliseconds from its last CONNECT to the welcome. */
  connectMs: number | undefined
  /** Milliseconds from its last callback to the sentence; undefined before the first. */
  speechMs: number | undefined
  connectAtMs: number
  welcomed: boolean
}

/** Totals of the fleet, updated with every event. */
export interface RosterTotals {
  links: Record<LinkState, number>
  /** The most speakers that were connected at one time. */
  mostConnected: number
  /** Speakers that were welcomed at least once. */
  welcomed: number
  reconnects: number
  announced: number
  played: number
  failed: number
  /** Speakers that are speaking now. */
  speaking: number
}

/** Notices of missed payments that are read at a time. */
const NOTICES_AT_ONCE = 200
/** Screens that cover a notice for a while. */
const COVERS: ReadonlySet<unknown> = new Set([
  'code',
  'payment',
  'paid',
  'qr',
] satisfies SpeakerSnapshot['display']['screen'][])

/** The state of the fleet from its speakers' feeds, updated with each event, so that no view reads all speakers. */
export class Roster {
  readonly rows: readonly RosterRow[]
  readonly totals: RosterTotals
  readonly connectTimes = new Histogram()
  readonly connects = new PerSecond()
  readonly announcements = new PerSecond()
  /** When the last connected speaker lost its link; undefined before the first, and while one is connected. */
  desertedAtMs: number | undefined
  /** The number of the sentence that a speaker is speaking, by its index. */
  readonly #speaking = new Map<number, number>()
  /** Indexes of the speakers that show missed payments, those that were read last at the end. */
  readonly #noticed = new Set<number>()

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
      ...{ mostConnected: 0, welcomed: 0, reconnects: 0, announced: 0, played: 0, failed: 0, speaking: 0 },
    }
  }

  /** Whether the speaker with this index shows a notice of missed payments. */
  showsMissed(index: number): boolean {
    return this.#noticed.has(index)
  }

  /**
   * Forgets the notices that have ended: no event reports it. `screenOf` reads a speaker's screen; it is called for some
   * of the speakers with a notice, in turn, because an outage may leave one on every speaker.
   */
  readNotices(screenOf: (index: number) => SpeakerSnapshot['display']['screen'] | undefined): void {
    const next = [...this.#noticed].slice(0, NOTICES_AT_ONCE)
    for (const index of next) {
      this.#noticed.delete(index)
      const screen = screenOf(index)
      if (screen === 'missed' || COVERS.has(screen)) this.#noticed.add(index)
    }
  }

  /** Whether the speaker with this index is speaking now. */
  isSpeaking(index: number): boolean {
    return this.#speaking.has(index)
  }

  /** Applies a feed item of the speaker with this index. */
  on(index: number, item: FeedItem): void {
    const row = this.rows[index]
    if (!row) return
    const before = this.totals.links.connected
    if (item.kind === 'event') this.#happened(row, item.event, item.atMs)
    else if (item.note.direction === 'out') {
      if (item.note.packet === 'connect') {
        row.connectAtMs = item.atMs
        this.#becomes(row, 'connecting')
      } else if (item.note.message?.topic === 'birth') this.#becomes(row, 'born')
    }
    const { connected } = this.totals.links
    if (before > 0 && connected === 0) this.desertedAtMs = item.atMs
    else if (connected > before) {
      this.desertedAtMs = undefined
      this.totals.mostConnected = Math.max(this.totals.mostConnected, connected)
    }
  }

  /** Corrects a state that no event reports: the cable was pulled before there was a session. */
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
        this.#announced(row, event, atMs)
        return
      case 'played':
        row.played += 1
        this.totals.played += 1
        this.#silence(row)
        return
      case 'missed':
        row.missed = event.count
        this.#noticed.add(row.index)
        return
      case 'failed':
        row.failed += 1
        row.lastFailure = event.rc
        this.totals.failed += 1
        // A fault has stopped the sentence.
        if (this.#speaking.get(row.index) === event.n) this.#silence(row)
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
      case 'rekey':
      case 'update':
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

  #announced(row: RosterRow, { n, amount }: { n: number; amount: string }, atMs: number): void {
    row.announced += 1
    row.lastAmount = amount
    this.totals.announced += 1
    this.totals.speaking += 1
    this.#speaking.set(row.index, n)
    this.announcements.add(atMs)
  }

  /** Its sentence has ended, a fault has stopped it, or its power was cut. */
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

/** A speaker's problem in a word or two; undefined without one. */
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
