import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findProgram } from '../../support/processes/program.ts'

/** Clients at once. The best count differs from machine to machine. */
const CLIENTS = [8, 32]
/** The length of what is sealed of a payment. */
const SEALED_BYTES = 400

/** The hub's own tables with their indices, apart from the hub's rows. */
const SCHEMA = `
  CREATE SCHEMA IF NOT EXISTS single;
  CREATE TABLE IF NOT EXISTS single.payments (LIKE public.payments INCLUDING ALL);
  CREATE TABLE IF NOT EXISTS single.announcements (LIKE public.announcements INCLUDING ALL)`

/** A payment and its announcement: two rows, one commit. `shop` is an SQL expression. */
const insert = (shop: string) => `
  WITH paid AS (
    INSERT INTO single.payments (id, client_id, store_id, dedupe_key, outcome, terminal_id, bank_code, bill_number,
      amount, paid_at, trace_transfer, ft_code, sealed, received_at)
    VALUES (gen_random_uuid()::text, 'sbc_0123456789abcdef', gen_random_uuid()::text, gen_random_uuid()::text,
      'static_qr', 'TILL-1', 'MB', '', 50000, 1, '1', gen_random_uuid()::text,
      decode(repeat('ab', ${SEALED_BYTES}), 'hex'), 1)
    RETURNING number
  )
  INSERT INTO single.announcements (id, device_number, payment_number, n, stage, amount, paid_bill, lang, expires_at,
    queued_at)
  SELECT gen_random_uuid()::text, ${shop}, number, number, 'queued', 50000, '', 'vi', 120001, 1 FROM paid`

/** What a database does without batches: one payment a commit. */
export interface SingleCommits {
  /** How it was measured, for the table. */
  name: string
  /** Commits per second, at the best number of clients. */
  measure(seconds: number): Promise<number>
  stop(): Promise<void>
}

/** By pgbench. Where it is not installed (null), by Node.js, which then also does the work of the clients. */
export async function startSingleCommits(
  url: string,
  shops: number,
  program: string | null = findProgram('pgbench') ?? null,
): Promise<SingleCommits> {
  const admin = new Client(url)
  await admin.connect()
  await admin.query(SCHEMA)
  await admin.end()
  const counts = CLIENTS.join(' or ')
  const bestOf = (measure: (clients: number) => Promise<number>) => async () => {
    const speeds: number[] = []
    for (const clients of CLIENTS) speeds.push(await measure(clients))
    return Math.max(...speeds)
  }
  if (program === null) {
    return {
      name: `one a commit by Node.js, ${counts} connections (pgbench is not installed)`,
      measure: (seconds) => bestOf((clients) => byNode(url, shops, clients, seconds))(),
      stop: async () => undefined,
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'pgbench-'))
  const script = join(folder, 'payment.sql')
  writeFileSync(script, `\\set shop random(1, ${shops})\n${insert(':shop')};\n`)
  return {
    name: `one a commit by pgbench, ${counts} clients`,
    measure: (seconds) => bestOf((clients) => byPgbench(program, url, script, clients, seconds))(),
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Where nothing was committed in that time, it takes twice as long. */
async function byPgbench(
  program: string,
  url: string,
  script: string,
  clients: number,
  seconds: number,
): Promise<number> {
  const { hostname, port, username, pathname } = new URL(url)
  const { stdout } = await promisify(execFile)(program, [
    ...['--no-vacuum', '--protocol=prepared', `--file=${script}`, `--client=${clients}`, '--jobs=1'],
    ...[
      `--time=${Math.max(1, Math.ceil(seconds))}`,
      '-h',
      hostname,
      '-p',
      port,
      '-U',
      username,
      pathname.slice(1),
    ],
  ])
  if (/actually processed: 0$/m.test(stdout))
    return byPgbench(program, url, script, clients, 2 * Math.max(1, seconds))
  const speed = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
  if (!(speed > 0)) throw new Error(`pgbench has measured nothing: ${stdout}`)
  return speed
}

async function byNode(url: string, shops: number, clients: number, seconds: number): Promise<number> {
  const connections = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new Client(url)
      await client.connect()
      return client
    }),
  )
  const startedAt = performance.now()
  let commits = 0
  await Promise.all(
    connections.map(async (client) => {
      while (performance.now() - startedAt < seconds * 1000) {
        commits += 1
        await client.query({ name: 'pay', text: insert('$1::bigint'), values: [1 + (commits % shops)] })
      }
    }),
  )
  const speed = (commits * 1000) / (performance.now() - startedAt)
  await Promise.all(connections.map((client) => client.end()))
  return speed
}
