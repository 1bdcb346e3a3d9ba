import type { Outbox, Owner } from '../../../../announcements/ports.ts'
import type { StorageObserver } from '../../../ports.ts'
import type { PostgresDatabase } from '../../engine/database.ts'
import { columns } from '../../rows/columns.ts'
import { lockDevices, nextNumber, ownedBy, storeNumbers } from './device-locks.ts'
import { readOpen } from './open-announcements.ts'

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
  database: PostgresDatabase,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Pick<Outbox, 'nextNumber' | 'take' | 'leave' | 'owns'> {
  const idsOf = (owners: readonly Owner[]) => owners.map(({ deviceId }) => deviceId)

  const takeNumbers = database.batched<Owner, number | undefined>('outbox.nextNumber', async (tx, owners) => {
    const devices = await lockDevices(tx, idsOf(owners))
    const numbers = owners.map((owner) => {
      const device = ownedBy(devices, owner)
      return device && nextNumber(device)
    })
    const stored = storeNumbers(tx, devices.values())
    tx.end()
    await stored
    return numbers
  })

  const takeAll = database.batched<Wanted, Taken>('outbox.take', async (tx, wanted) => {
    const [devices, open] = await Promise.all([
      lockDevices(tx, idsOf(wanted.map(({ owner }) => owner))),
      readOpen(
        tx.query,
        wanted.map(({ owner: { deviceId }, at, after }) => ({ deviceId, at, after })),
      ),
    ])
    const toSend = wanted.flatMap(({ owner, at, isFree }, index) => {
      const first = open[index]?.[0]
      return isFree && first && ownedBy(devices, owner) ? [{ rowId: first.rowId, at }] : []
    })
    const stored =
      toSend.length === 0
        ? []
        : tx.query<{ rowId: number; queuedAt: number }>(
            'outbox.take sent',
            `UPDATE announcements a SET stage = 'sent', sent_at = v.at
             FROM unnest($1::bigint[], $2::bigint[]) AS v(number, at)
             WHERE a.number = v.number AND a.stage = 'queued'
             RETURNING a.number AS "rowId", a.queued_at AS "queuedAt"`,
            columns(toSend, 'rowId', 'at'),
          )
    tx.end()
    const sent = await stored
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
    nextNumber: takeNumbers,

    async take(owner, at, what) {
      const { taken, queuedAt } = await takeAll({ owner, at, ...what })
      if (queuedAt !== undefined) observe('sent', at - queuedAt)
      return taken
    },

    leave: (owners) =>
      database.write(async (tx) => {
        const devices = await lockDevices(tx, idsOf(owners))
        const left = owners.flatMap((owner) => ownedBy(devices, owner) ?? [])
        if (left.length === 0) return
        await tx.query(
          'outbox.leave',
          'UPDATE device_state SET session_id = NULL, hub = NULL WHERE device_number = ANY($1::bigint[])',
          [left.map(({ rowId }) => rowId)],
        )
      }),

    async owns({ deviceId, sessionId }) {
      const [owned] = await database.read(
        'outbox.owns',
        `SELECT 1 FROM devices d JOIN device_state s ON s.device_number = d.number
         WHERE d.id = $1 AND s.session_id = $2`,
        [deviceId, sessionId],
      )
      return owned !== undefined
    },
  }
}
