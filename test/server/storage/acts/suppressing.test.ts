import { expect, it } from 'vitest'
import { carryOut, type Engine } from '../../../../server/storage/acts/act.ts'
import type { DeviceRow } from '../../../../server/storage/acts/device-rows.ts'
import { createSuppressing } from '../../../../server/storage/acts/devices/suppressing.ts'
import { FIRST_PAGE } from '../../../../server/storage/shared/pages.ts'
import { SQLITE } from '../../../../server/storage/sqlite/engine/act-engine.ts'

it('what pages suppress is reported once, after the commit of each, however often they run', async () => {
  const pages = [FIRST_PAGE, 3].map((count) => Array(count).fill({ queuedAt: 1 }))
  const log: string[] = []
  const inPages: Engine['inPages'] = async (first, page, committed) => {
    let cursor = first
    for (const suppressed of pages) {
      const run = (from: typeof first) =>
        carryOut(page(from), ({ name }) => (name === 'devices.suppressOpen' ? suppressed : []))
      // The first commit fails.
      run(cursor)
      const { value, next } = run(cursor)
      log.push('commit')
      committed?.(value)
      if (next === undefined) return
      cursor = next
    }
  }
  const observer = { stage: (stage: string, ms: number) => void log.push(`${stage} after ${ms}`) }
  const suppressing = createSuppressing({ ...SQLITE, inPages }, observer)
  // The acts look at nothing else of it.
  const device = { rowId: 1, active: true } as DeviceRow
  function* said(what: string) {
    yield* []
    log.push(what)
    return what
  }
  function* find() {
    yield* []
    return device
  }
  const result = await suppressing(
    find,
    11,
    () => said('silenced'),
    () => said('done'),
  )
  expect(result).toBe('done')
  const reported = (count: number) => Array(count).fill('suppressed after 10')
  expect(log).toEqual([
    ...['silenced', 'silenced', 'commit', ...reported(FIRST_PAGE)],
    ...['done', 'done', 'commit', ...reported(3)],
  ])
})
