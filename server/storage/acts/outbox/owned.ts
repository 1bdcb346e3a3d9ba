import type { Outbox, Owner } from '../../../announcements/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import { type Engine, together } from '../act.ts'
import { type DeviceStates, nextNumber, ownedBy } from './device-states.ts'
import type { ReadOpen } from './open-announcements.ts'

interface Wanted {
  owner: Owner
  at: number
  after: number
  isFree: boolean
}

interface Taken {
  taken: Awaited<ReturnType<Outbox['take']>>
  /** Of the announcement that this has stored as sent. */
  queuedAt: number | undefined
}

/** What only the hub of a device's session may do: each act locks the device, and nothing changes for another's. */
export function createOwned(
  { batched, writing, reading, lastly, perRow }: Engine,
  states: DeviceStates,
  readOpen: ReadOpen,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Pick<Outbox, 'nextNumber' | 'take' | 'leave' | 'owns'> {
  const idsOf = (owners: readonly Owner[]) => owners.map(({ deviceId }) => deviceId)

  // Of an announcement that was read without a lock.
  const markSent = perRow(
    'outbox.take sent',
    { rowId: 'bigint', at: 'bigint' },
    (one, { from }) =>
      `UPDATE announcements SET stage = 'sent', sent_at = ${one.at} ${from}
       WHERE number = ${one.rowId} AND stage = 'queued' RETURNING number AS "rowId", queued_at AS "queuedAt"`,
  )

  const takeAll = batched<Wanted, Taken>('outbox.take', function* (wanted) {
    const [devices, open] = yield* together(
      states.lock(idsOf(wanted.map(({ owner }) => owner))),
      readOpen(wanted.map(({ owner: { deviceId }, at, after }) => ({ deviceId, at, after }))),
    )
    const toSend = wanted.flatMap(({ owner, at, isFree }, index) => {
      const first = open[index]?.[0]
      return isFree && first && ownedBy(devices, owner) ? [{ rowId: first.rowId, at }] : []
    })
    const sent = yield* lastly(markSent<{ rowId: number; queuedAt: number }>(toSend))
    return wanted.map(({ owner, isFree }, index): Taken => {
      const device = ownedBy(devices, owner)
      if (!device) return { taken: undefined, queuedAt: undefined }
      const found = open[index] ?? []
      const moved = isFree ? sent.find(({ rowId }) => rowId === found[0]?.rowId) : undefined
      const announcements = found.map(({ announcement }, place) =>
        moved && place === 0 ? { ...announcement, stage: 'sent' as const } : announcement,
      )
      return { taken: { open: announcements, highestNumber: device.n }, queuedAt: moved?.queuedAt }
    })
  })

  return {
    nextNumber: batched<Owner, number | undefined>('outbox.nextNumber', function* (owners) {
      const devices = yield* states.lock(idsOf(owners))
      const numbers = owners.map((owner) => {
        const device = ownedBy(devices, owner)
        return device && nextNumber(device)
      })
      yield* lastly(states.storeNumbers(devices.values()))
      return numbers
    }),

    async take(owner, at, what) {
      const { taken, queuedAt } = await takeAll({ owner, at, ...what })
      if (queuedAt !== undefined) observe('sent', at - queuedAt)
      return taken
    },

    leave: writing(function* (owners) {
      const devices = yield* states.lock(idsOf(owners))
      yield* states.leave(owners.flatMap((owner) => ownedBy(devices, owner) ?? []))
    }),

    owns: reading(function* ({ deviceId, sessionId }) {
      return (yield* states.find(deviceId))?.sessionId === sessionId
    }),
  }
}
