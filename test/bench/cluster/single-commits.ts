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

/** A payment and its announcement: two rows, one commit. */
const INSERT = `
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
  SELECT gen_random_uuid()::text, :shop, number, number, 'queued', 50000, '', 'vi', 120001, 1 FROM paid`

/** What a database does without batches: one payment a commit. */
export interface SingleCommits {
  /** How it was measured, for the table. */
  name: string
  /** Commits per second, at the best number of clients. */
  measure(seconds: number): Promise<number>
  stop(): Promise<void>
}

/** By pgbench. Undefined if it is not installed. */
export async function startSingleCommits(url: string, shops: number): Promise<SingleCommits | undefined> {
  const program = findProgram('pgbench')
  if (program === undefined) return undefined
  const admin = new Client(url)
  await admin.connect()
  await admin.query(SCHEMA)
  await admin.end()
  const folder = mkdtempSync(join(tmpdir(), 'pgbench-'))
  const script = join(folder, 'payment.sql')
  writeFileSync(script, `\\set shop random(1, ${shops})\n${INSERT};\n`)
  return {
    name: `one a commit by pgbench, ${CLIENTS.join(' or ')} clients`,
    async measure(seconds) {
      const speeds: number[] = []
      for (const clients of CLIENTS) speeds.push(await byPgbench(program, url, script, clients, seconds))
      return Math.max(...speeds)
    },
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
