import type { MissedMark, Outbox } from '../../../announcements/ports.ts'
import { UNSEEN } from '../../shared/announcement-conditions.ts'
import { FIRST_PAGE, PAGE, type Page } from '../../shared/pages.ts'
import { type Act, type Engine, fromJson, row, rows } from '../act.ts'

/** A notice that the device has shown. */
interface Mark extends MissedMark {
  deviceRowId: number
  at: number
}

/** A mark under way: the rows of the next page, and the mark's own row once there is a second page. */
interface Cursor {
  limit: number
  rowId: number | undefined
}

type StoredMark = Omit<Mark, 'except'> & { rowId: number; except: number[] | string }

const FIRST: Cursor = { limit: FIRST_PAGE, rowId: undefined }

export type MissedMarks = ReturnType<typeof createMissedMarks>

/**
 * Stores what a device has shown of what it has missed.
 *
 * Why a mark has a row: it counts at once and as a whole, also when the hub dies before all announcements are marked.
 */
export function createMissedMarks({ reading, inPages, among, forUpdate }: Engine) {
  /** Marks a page, and adds or removes the mark's row. */
  function* markPage(mark: Mark, { limit, rowId }: Cursor): Act<Page<Cursor, undefined>> {
    const { deviceRowId, upTo, except, at } = mark
    const shown = yield* rows(
      'missed.mark',
      `WITH page AS (
         SELECT number FROM announcements
         WHERE device_number = $1 AND ${UNSEEN} AND number <= $2 AND NOT (${among('number', '$3', 'bigint')})
         ORDER BY number LIMIT $4 ${forUpdate}
       )
       UPDATE announcements SET missed_shown_at = $5 FROM page WHERE announcements.number = page.number RETURNING 1`,
      [deviceRowId, upTo, except, limit, at],
    )
    if (shown.length < limit) {
      if (rowId !== undefined)
        yield* rows('missed.removeMark', 'DELETE FROM missed_marks WHERE number = $1', [rowId])
      return { value: undefined, next: undefined }
    }
    const known = rowId ?? (yield* addMark(mark))
    return { value: undefined, next: { limit: PAGE, rowId: known } }
  }

  const finish = (mark: Mark, from: Cursor) => inPages(from, (cursor) => markPage(mark, cursor))

  const rowIdOf = reading(function* (deviceId: string) {
    const device = yield* row<{ rowId: number }>(
      'missed.device',
      'SELECT number AS "rowId" FROM devices WHERE id = $1',
      [deviceId],
    )
    return device?.rowId
  })

  const unfinished = reading(() =>
    rows<StoredMark>(
      'missed.marks',
      `SELECT number AS "rowId", device_number AS "deviceRowId", up_to AS "upTo", excepted AS "except", shown_at AS at
       FROM missed_marks`,
    ),
  )

  const markMissedShown: Outbox['markMissedShown'] = async (deviceId, { upTo, except }, at) => {
    const deviceRowId = await rowIdOf(deviceId)
    if (deviceRowId !== undefined) await finish({ deviceRowId, upTo, except, at }, FIRST)
  }

  return {
    markMissedShown,

    /** Marks a page of all that a locked device has missed; the rest with the returned function, after the commit. */
    *markAllShown(deviceRowId: number, at: number): Act<() => Promise<void>> {
      const newest = yield* row<{ rowId: number | null }>(
        'missed.newest',
        'SELECT max(number) AS "rowId" FROM announcements',
      )
      const mark = { deviceRowId, upTo: newest?.rowId ?? 0, except: [], at }
      const { next } = yield* markPage(mark, FIRST)
      return async () => next && finish(mark, next)
    },

    /** Finishes the marks that a hub had begun when it died. Another hub may do so at once. */
    async resume(): Promise<void> {
      for (const { rowId, except, ...mark } of await unfinished())
        await finish({ ...mark, except: fromJson(except) }, { limit: PAGE, rowId })
    },
  }
}

function* addMark({ deviceRowId, upTo, except, at }: Mark): Act<number | undefined> {
  const added = yield* row<{ rowId: number }>(
    'missed.addMark',
    `INSERT INTO missed_marks (device_number, up_to, excepted, shown_at) VALUES ($1, $2, $3, $4)
     RETURNING number AS "rowId"`,
    [deviceRowId, upTo, JSON.stringify(except), at],
  )
  return added?.rowId
}
