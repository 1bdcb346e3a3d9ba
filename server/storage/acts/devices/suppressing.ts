import type { StorageObserver } from '../../ports.ts'
import { OPEN } from '../../shared/announcement-conditions.ts'
import { FIRST_PAGE, PAGE } from '../../shared/pages.ts'
import { type Act, type Engine, rows } from '../act.ts'
import type { DeviceRow } from '../device-rows.ts'

export function createSuppressing(
  { inPages, forChange, open }: Pick<Engine, 'inPages' | 'forChange' | 'open'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
) {
  /** Suppresses some of what is open for a locked device, by rising number, as every act locks announcements. */
  const suppressOpen = ({ rowId }: DeviceRow, at: number, limit: number) =>
    rows<{ queuedAt: number }>(
      'devices.suppressOpen',
      `WITH page AS (
         SELECT a.number FROM ${open.from} WHERE ${open.by}.device_number = $1 AND ${OPEN}
         ORDER BY a.number LIMIT $3 ${forChange('a')}
       )
       UPDATE announcements SET stage = 'suppressed', suppressed_at = $2 FROM page
       WHERE announcements.number = page.number RETURNING queued_at AS "queuedAt"`,
      [rowId, at, limit],
    )

  /**
   * Carries out an act on a device that `find` locks, in the commit that suppresses the last of its open announcements.
   * Before, a device with many is silenced by `silence`, so that none follows, and most are suppressed page by page.
   */
  return async function suppressing<T>(
    find: () => Act<DeviceRow | undefined>,
    at: number,
    silence: (device: DeviceRow) => Act<unknown>,
    act: (device: DeviceRow) => Act<T>,
  ): Promise<T | undefined> {
    let result: T | undefined
    await inPages(
      FIRST_PAGE,
      function* (limit) {
        result = undefined
        const device = yield* find()
        const suppressed = device ? yield* suppressOpen(device, at, limit) : []
        const isLast = suppressed.length < limit
        if (device && isLast) result = yield* act(device)
        else if (device?.active) yield* silence(device)
        return { value: suppressed, next: isLast ? undefined : PAGE }
      },
      (suppressed) => {
        for (const { queuedAt } of suppressed) observe('suppressed', at - queuedAt)
      },
    )
    return result
  }
}
