import { expect, it } from 'vitest'
import { reportOf } from '../../../../server/operate/cli/import.ts'

const ENDED = Date.UTC(2026, 10, 20, 3)
const ROWS = { payments: 7, audit: 12 }

it.each([
  {
    state: 'imported',
    added: { payments: 0, audit: 2 },
    said: '/data is in PostgreSQL, and every row was compared: 7 payments of 350.000 đ in all.',
    lines: ['payments  7     0', 'audit     12    2'],
    todo: 2,
  },
  {
    state: 'known',
    added: { payments: 0, audit: 0 },
    said: '/data is in PostgreSQL by a run that ended on 2026-11-20 03:00:00+00:00. Every row was compared again, and this run has added none: 7 payments of 350.000 đ in all.',
    lines: ['payments  7     0', 'audit     12    0'],
    todo: 2,
  },
  {
    state: 'used',
    added: { payments: 0, audit: 0 },
    said: '/data is in PostgreSQL by a run that ended on 2026-11-20 03:00:00+00:00. Hubs or commands have changed the database since, and this run has changed nothing. It has 7 payments of 350.000 đ in all now.',
    lines: ['payments  7     0', 'audit     12    0'],
    todo: 1,
  },
] as const)(
  'hub import says of a database that is $state what it has, and what the run has added',
  (given) => {
    const { state, added, said, lines, todo } = given
    const report = reportOf('/data', { state, importedAt: ENDED, rows: ROWS, added, amount: '350000' })
    expect(report.done).toBe(true)
    expect(report.text.split('\n').slice(0, 4)).toEqual([said, 'table     rows  added by this run', ...lines])
    expect(report.json).toMatchObject({ from: '/data', state, rows: ROWS, added, amount: '350000' })
    expect(Object(report.json).todo).toHaveLength(todo)
  },
)
