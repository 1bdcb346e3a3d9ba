/**
 * The constants of `hub size`, as `npm run bench -- rates` prints them. On two cores, which PostgreSQL, the hubs, the load
 * and the speakers share. Bytes are on disk, but for the memory of a hub and of a speaker.
 * - `rates`: what all hubs and PostgreSQL do in a second, for payments until their `played` is stored; `hubMs` and `postgresMs`
 *   are milliseconds of CPU. `sqlite` is one hub on SQLite; its last rate is the highest.
 * - `bytes` of a payment with its announcement, of its events, and of what is left when it is deleted.
 * - `delivery`: what one event at one webhook adds.
 * - `connectMs`: CPU of a hub to connect and welcome a speaker, also on SQLite. `packetMs`: for one telemetry.
 * - `deletedPerSecond`: payments that retention deletes with their events on PostgreSQL, when it never rests.
 */
export const MEASURED = {
  rates: [
    { hubs: 3, perSecond: 0, hubMs: 29.5, postgresMs: 33.6, commits: 46.2, walBytes: 787 },
    { hubs: 3, perSecond: 20, hubMs: 124, postgresMs: 106, commits: 213, walBytes: 107000 },
    { hubs: 3, perSecond: 150, hubMs: 519, postgresMs: 404, commits: 1020, walBytes: 691000 },
    { hubs: 3, perSecond: 300, hubMs: 740, postgresMs: 610, commits: 1660, walBytes: 1310000 },
    { hubs: 3, perSecond: 1280, hubMs: 984, postgresMs: 699, commits: 1330, walBytes: 5610000 },
    { hubs: 1, perSecond: 0, hubMs: 16.4, postgresMs: 14.5, commits: 33.4, walBytes: 2540 },
    { hubs: 1, perSecond: 150, hubMs: 336, postgresMs: 299, commits: 465, walBytes: 817000 },
    { hubs: 1, perSecond: 350, hubMs: 586, postgresMs: 494, commits: 852, walBytes: 1500000 },
    { hubs: 1, perSecond: 1510, hubMs: 760, postgresMs: 580, commits: 582, walBytes: 6260000 },
  ],
  sqlite: {
    rates: [
      { perSecond: 50, hubMs: 126 },
      { perSecond: 200, hubMs: 340 },
      { perSecond: 500, hubMs: 670 },
      { perSecond: 2240, hubMs: 1310 },
    ],
    bytes: { rows: 956, indexes: 0, events: 150 },
  },
  payments: 66300,
  bytes: { rows: 1070, indexes: 617, events: 342, deleted: 785 },
  delivery: { hubMs: 0.402, postgresMs: 0.058, commits: 0.00602, walBytes: 423, bytes: 355 },
  speaker: { bytes: 41600, connectMs: 1.8, sqliteConnectMs: 1.54, packetMs: 0.053 },
  hub: { bytes: 362000000, connections: 10 },
  deletedPerSecond: 16700,
}
export type Measured = typeof MEASURED

/** Measured by other means. */
export const KNOWN = {
  /** Events that get their place in the logs of partners in a second: test/bench/README.md. */
  eventsPerSecond: 20_000,
  /** Speakers at one hub: `npm run force -- storm`. */
  speakersOfAHub: 10_000,
  /** Payments in a hub's file: `npm run bench -- million`. */
  sqlitePayments: 1_000_000,
  /** Cores of the machine. */
  cores: 2,
}
