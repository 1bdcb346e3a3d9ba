import type { AnnouncementTrail } from '../../../../server/announcements/announcement.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { allPages } from '../../../../server/platform/page.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { Box } from '../../../../simulator/boxes/box.ts'
import type { BoxFault } from '../../../../simulator/boxes/core/faults.ts'
import { BOX_KINDS, type BoxKind, FIRMWARE } from '../../../../simulator/boxes/kinds.ts'
import { type LinkedBox, linkBox } from '../../../support/boxes.ts'
import { createHistory, type Entry, type History } from '../../../support/proof/history.ts'
import type { OnRecord } from '../../../support/proof/record.ts'
import type { Ear } from '../ear.ts'
import type { Proven } from '../world.ts'
import type { BoxDialectName } from './judge-boxes.ts'

const PAGE = 500
/** Short, but long enough to be interrupted. */
const WORD_MS = 40
const DEAD_MS = 500
/** Boxes that are made at once: they share commits. */
const MADE_AT_ONCE = 100

/** A box of another maker that is switched on. */
export interface BoxEar extends Ear {
  readonly linked: LinkedBox
  /** Whether it has lost its power. */
  hasDied: boolean
  /** Sentences that it had before, and did not say again. */
  repeats: number
  readonly isSounding: boolean
  /** Its power fails, and comes back. */
  die(): void
}

/** Makes boxes of these kinds in turn, each with a shop. */
export async function makeBoxes(
  storage: Storage,
  clientId: string,
  count: number,
  kinds: readonly BoxKind[] = BOX_KINDS,
): Promise<LinkedBox[]> {
  const ids = createRandomIds()
  const made: LinkedBox[] = []
  while (made.length < count) {
    const from = made.length
    const batch = Array.from({ length: Math.min(MADE_AT_ONCE, count - from) }, (_, index) => {
      const number = String(from + index + 1).padStart(5, '0')
      const kind = kinds[(from + index) % kinds.length] ?? 'hemipay'
      return linkBox(storage, ids, { kind, serial: `BOX-${number}`, terminalID: `BOX-${number}`, clientId })
    })
    made.push(...(await Promise.all(batch)))
  }
  return made
}

export interface BoxDeps {
  faults: readonly BoxFault[]
  random: () => number
  /** Called when a sentence begins: the hub has not heard yet that the box has it. */
  heard: (linked: LinkedBox) => void
}

/** `url`: of the hub's listener for boxes. */
export function switchOnBox(
  url: string,
  history: History,
  linked: LinkedBox,
  { faults, random, heard }: BoxDeps,
): BoxEar {
  const { kind, terminalID } = linked
  const config = { ...linked.config, wordMs: WORD_MS, deadMs: DEAD_MS }
  const box = new Box({ firmware: FIRMWARE[kind], config, url, faults, random })
  const ear: BoxEar & { sessions: number; online: boolean } = {
    ...{ linked, terminalID, sessions: 0, online: false, hasDied: false, repeats: 0 },
    get isSounding() {
      return box.snapshot().state.playing !== undefined
    },
    die() {
      ear.hasDied = true
      history.note({ kind: 'done', what: `${terminalID} loses its power` })
      box.powerOff()
      box.powerOn()
    },
    start: () => box.start(),
    stop: async () => box.stop(),
  }
  box.subscribe((item) => {
    if (item.kind !== 'event') return
    const { event } = item
    if (event.event === 'announce') {
      history.note({ kind: 'heard', terminalID, amount: event.amount ?? event.text })
      heard(linked)
    }
    if (event.event === 'repeat') ear.repeats += 1
    if (event.event === 'connected') {
      ear.sessions += 1
      ear.online = true
      history.note({ kind: 'online', terminalID })
    }
    if (event.event === 'disconnected' || (event.event === 'power' && !event.on)) {
      if (ear.online) history.note({ kind: 'offline', terminalID })
      ear.online = false
    }
  })
  return ear
}

/** The announcements of some shops by the codes of their payments. */
export async function trailsOf(
  { storage, clientId }: Pick<Proven, 'storage' | 'clientId'>,
  terminals: ReadonlySet<string>,
): Promise<Map<string, AnnouncementTrail>> {
  const trails = new Map<string, AnnouncementTrail>()
  for await (const rows of allPages((page) => storage.lists.payments.page({ clientId }, page), PAGE))
    for (const { payment, announcements } of rows) {
      const [trail] = announcements
      if (trail && terminals.has(payment.terminalID)) trails.set(payment.ftCode, trail)
    }
  return trails
}

/** How many announcements of each dialect a hub has sent that has not heard of their end. Asked while it is dead. */
export function underWay(
  trails: ReadonlyMap<string, AnnouncementTrail>,
  boxes: readonly LinkedBox[],
): Record<BoxDialectName, number> {
  const counts = { hemipay: 0, oneway: 0, alink: 0 }
  const dialects = new Map(boxes.map(({ serial, dialect }) => [serial, dialect]))
  for (const { serial, stage } of trails.values()) {
    const dialect = dialects.get(serial)
    if (dialect && (stage === 'sent' || stage === 'received')) counts[dialect] += 1
  }
  return counts
}

/** What was seen, and what is on record, of some shops alone. */
export function partOf(
  { history, record }: { history: History; record: OnRecord },
  isOf: (terminalID: string) => boolean,
): { history: History; record: OnRecord } {
  const codes = new Set(
    history.payments.filter(({ terminalID }) => isOf(terminalID)).map(({ ftCode }) => ftCode),
  )
  const isIn = (entry: Entry) =>
    entry.kind === 'done' || (entry.kind === 'answered' ? codes.has(entry.ftCode) : isOf(entry.terminalID))
  return {
    history: createHistory(history.entries.filter(isIn)),
    record: {
      payments: record.payments.filter(({ terminalID }) => isOf(terminalID)),
      totals: record.totals.filter(({ terminalID }) => isOf(terminalID)),
    },
  }
}
