import type { Measured } from '../../../server/operate/measured.ts'

/** Tables of docs/scale.md: what a payment costs at a rate, and the other constants of `hub size`. */
export function sizingTables({ rates, sqlite, payments, ...measured }: Measured): string[] {
  const { bytes, delivery, speaker, hub, deletedPerSecond } = measured
  const costs = rates.map(({ hubs, perSecond, ...work }) => {
    // At rest: in a second.
    const [hubMs, postgresMs, commits, wal] = [work.hubMs, work.postgresMs, work.commits, work.walBytes].map(
      (value) => value / (perSecond || 1),
    )
    const rate = perSecond === 0 ? 'at rest, a second' : `${perSecond}/s`
    return [rate, hubs, `${short(hubMs)} ms`, `${short(postgresMs)} ms`, short(commits), kilobytes(wal)]
  })
  const onSqlite = sqlite.rates.map(({ perSecond, hubMs }) => {
    return [`${perSecond}/s`, '1, SQLite', `${short(hubMs / perSecond)} ms`, '', '', '']
  })
  const others = [
    [
      `disk of a payment on PostgreSQL, with ${payments} of them`,
      `rows ${kilobytes(bytes.rows)}, indexes ${kilobytes(bytes.indexes)}, events ${kilobytes(bytes.events)}; ${kilobytes(bytes.deleted)} when it is deleted`,
    ],
    [
      'disk of a payment on SQLite',
      `rows and indexes ${kilobytes(sqlite.bytes.rows)}, events ${kilobytes(sqlite.bytes.events)}`,
    ],
    [
      'an event at a webhook adds',
      `${short(delivery.hubMs)} ms of a hub, ${short(delivery.postgresMs)} ms of PostgreSQL, ${short(delivery.commits)} commits, ${kilobytes(delivery.walBytes)} of WAL, ${kilobytes(delivery.bytes)} on the disk`,
    ],
    ['memory of a hub, and of each speaker', `${short(hub.bytes / 1e6)} MB, ${kilobytes(speaker.bytes)}`],
    [
      'CPU of a hub to connect and welcome a speaker, and for a telemetry',
      `${short(speaker.connectMs)} ms (SQLite: ${short(speaker.sqliteConnectMs)} ms), ${short(speaker.packetMs)} ms`,
    ],
    ['connections of a hub to PostgreSQL', short(hub.connections)],
    ['payments that retention deletes with their events', `${deletedPerSecond}/s`],
  ]
  const head = ['Payments', 'Hubs', 'CPU of the hubs', 'CPU of PostgreSQL', 'Commits', 'WAL']
  return [markdown(head, [...costs, ...onSqlite]), markdown(['What', 'Measured'], others)]
}

function markdown(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const row = (cells: readonly (string | number)[]) =>
    `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|\n`
  return [row(head), `|${'---|'.repeat(head.length)}\n`, ...rows.map(row)].join('')
}

const short = (value = 0) => String(Number(value.toPrecision(2)))

const kilobytes = (value = 0) => `${short(value / 1_000)} kB`
