import { Violation } from '../kit/violation.ts'
import type { Sender } from './end.ts'
import type { AnnouncementRow, FileReader, OwnerRow } from './file.ts'
import { isFinal } from './stages.ts'

/** What was sent may still be acked for so long after its end, before the sweep of any hub ends it. */
const ACKS_COME_MS = 60_000

/** Several hubs on one storage: a device belongs to the session of its last birth, wherever that was. */
export interface Ownership {
  /** A hub has committed. To be told of each commit, before the next one. */
  committed(hubId: string, file: FileReader): void
  /** A session may be born at a hub. */
  opened(end: Sender): void
  /** A device reports how it has dealt with an announcement: that counts at every hub. */
  acked(step: { id: string; st: string }): void
  /** A session begins anew. */
  welcomed(from: Sender): void
  /** An announcement leaves. */
  leaves(from: Sender, announcement: { id: string; n: number }): void
  /** An announcement has reached its speaker. */
  got(serial: string, n: number): void
}

/** `isBox`: its sessions are named by the hub, and boxes have no numbers. */
export function createOwnership(now: () => number, isBox: (serial: string) => boolean): Ownership {
  let commits = 0
  let before = new Map<string, AnnouncementRow>()
  let owners = new Map<string, OwnerRow>()
  /** The last commit at which a session has owned its device. */
  const lastOwned = new Map<string, number>()
  /** The commit that has stored an announcement as sent. */
  const storedAsSent = new Map<string, number>()
  const hubOf = new Map<string, string>()
  /** Ended by its device. */
  const failed = new Set<string>()
  /** The highest number that each session has sent, and what it has sent. */
  const sent = new WeakMap<Sender, { ids: Set<string>; last: number }>()
  const left = new Set<string>()
  const highestGot = new Map<string, number>()

  /** Whether the time of an announcement was over for every hub. */
  function isDue({ expiresAt, stage }: AnnouncementRow): boolean {
    return now() >= expiresAt + (stage === 'queued' ? 0 : ACKS_COME_MS)
  }

  function checkRow(row: AnnouncementRow, hubId: string, isOwner: boolean) {
    const was = before.get(row.id)
    const what = `the announcement of ${row.amount} to ${row.serial}`
    if (row.stage === 'sent' && was?.stage !== 'sent') {
      storedAsSent.set(row.id, commits)
      if (!isOwner)
        throw new Violation('owner', `${hubId} stores ${what} as sent, and does not own the speaker`)
    }
    if ((row.stage !== 'expired' && row.stage !== 'failed') || !was || isFinal(was)) return
    if (!isOwner && !failed.has(row.id) && !isDue(was))
      throw new Violation('own judgement', `${hubId} ends ${what}, and does not own the speaker`)
  }

  return {
    committed(hubId, file) {
      commits += 1
      const rows = file.announcements()
      const after = new Map(file.owners().map((owner) => [owner.serial, owner]))
      for (const { sessionId } of [...owners.values(), ...after.values()])
        if (sessionId !== null) lastOwned.set(sessionId, commits)
      // A commit may end the session under which it has stored something.
      const isOwner = (serial: string) =>
        [owners, after].some((known) => hubOf.get(known.get(serial)?.sessionId ?? '') === hubId)
      try {
        for (const row of rows) if (!isBox(row.serial)) checkRow(row, hubId, isOwner(row.serial))
      } finally {
        before = new Map(rows.map((row) => [row.id, row]))
        owners = after
      }
    },

    opened: ({ sid, hub }) => void hubOf.set(sid, hub.id),

    acked({ id, st }) {
      if (st === 'failed') failed.add(id)
    },

    welcomed: (from) => void sent.delete(from),

    leaves(from, { id, n }) {
      const isFirst = !left.has(id)
      left.add(id)
      if (from.isSuperseded) return
      const { serial, sid } = from
      const known = sent.get(from) ?? { ids: new Set(), last: 0 }
      if (known.ids.has(id)) return
      const { last } = known
      sent.set(from, { ids: known.ids.add(id), last: Math.max(last, n) })
      if (n < last) throw new Violation('rising', `${serial} gets number ${n} behind ${last}`)
      if (!isFirst) return
      if (n < (highestGot.get(serial) ?? 0))
        throw new Violation('rising', `${serial} has got ${highestGot.get(serial)}, and ${n} leaves only now`)
      if ((lastOwned.get(sid) ?? 0) < (storedAsSent.get(id) ?? 0))
        throw new Violation(
          'owner',
          `${serial} gets number ${n} of another session than the one that owns it`,
        )
    },

    got: (serial, n) => void highestGot.set(serial, Math.max(n, highestGot.get(serial) ?? 0)),
  }
}
