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
    { hubs: 3, perSecond: 0, hubMs: 15.6, postgresMs: 39.8, commits: 65.2, walBytes: 775 },
    { hubs: 3, perSecond: 20, hubMs: 138, postgresMs: 87.3, commits: 185, walBytes: 88700 },
    { hubs: 3, perSecond: 150, hubMs: 480, postgresMs: 375, commits: 1010, walBytes: 645000 },
    { hubs: 3, perSecond: 1830, hubMs: 1110, postgresMs: 700, commits: 1500, walBytes: 7850000 },
    { hubs: 1, perSecond: 0, hubMs: 9.96, postgresMs: 18.5, commits: 41.8, walBytes: 21900 },
    { hubs: 1, perSecond: 150, hubMs: 375, postgresMs: 345, commits: 750, walBytes: 645000 },
    { hubs: 1, perSecond: 350, hubMs: 385, postgresMs: 367, commits: 980, walBytes: 1510000 },
    { hubs: 1, perSecond: 2120, hubMs: 995, postgresMs: 700, commits: 1200, walBytes: 9000000 },
  ],
  sqlite: {
    rates: [
      { perSecond: 50, hubMs: 147 },
      { perSecond: 200, hubMs: 354 },
      { perSecond: 500, hubMs: 540 },
      { perSecond: 3220, hubMs: 1520 },
    ],
    bytes: { rows: 950, indexes: 0, events: 146 },
  },
  payments: 30000,
  bytes: { rows: 1360, indexes: 719, events: 507, deleted: 814 },
  delivery: { hubMs: 0.663, postgresMs: 0.261, commits: 0.3, walBytes: 1300, bytes: 410 },
  speaker: { bytes: 41400, connectMs: 0.81, sqliteConnectMs: 0.95, packetMs: 0.07 },
  hub: { bytes: 200000000, connections: 9 },
  deletedPerSecond: 2150,
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
