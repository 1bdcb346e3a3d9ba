import { spawn } from 'node:child_process'
import { createClient } from '@redis/client'
import { Client } from 'pg'
import { stopProcess, untilSays } from '../../../simulator/platform/child-process.ts'
import { freePort } from '../../../simulator/platform/free-port.ts'
import { startPostgres } from '../../support/processes/postgres.ts'
import { findProgram } from '../../support/processes/program.ts'
import type { Shop } from '../parts/market.ts'

/** A database in its own process, with its data in a folder. */
export interface Database {
  url: string
  pid: number | undefined
  /** Creates what a peer needs, with these shops. */
  fill(shops: readonly Shop[]): Promise<void>
  stop(): Promise<void>
}

const SCHEMA = `
  CREATE TABLE devices (terminal_id text PRIMARY KEY, serial text NOT NULL);
  CREATE TABLE payments (
    id uuid PRIMARY KEY, dedupe_key text NOT NULL UNIQUE, terminal_id text NOT NULL, bank_code text NOT NULL,
    bill_number text NOT NULL, amount bigint NOT NULL, notice text NOT NULL, paid_at timestamptz NOT NULL,
    trace text NOT NULL, ft_code text NOT NULL, received_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE outbox (
    id uuid PRIMARY KEY, serial text NOT NULL, amount bigint NOT NULL, stage text NOT NULL DEFAULT 'queued',
    queued_at timestamptz NOT NULL DEFAULT now(), played_at timestamptz
  );`

/** PostgreSQL with its own defaults. Undefined if it is not installed. */
export async function startPeerPostgres(folder: string): Promise<Database | undefined> {
  const server = await startPostgres(folder)
  return (
    server && {
      ...server,
      async fill(shops) {
        const client = new Client(server.url)
        await client.connect()
        await client.query(SCHEMA)
        await client.query('INSERT INTO devices SELECT * FROM unnest($1::text[], $2::text[])', [
          shops.map(({ terminalID }) => terminalID),
          shops.map(({ serial }) => serial),
        ])
        await client.end()
      },
    }
  )
}

/** Redis as Debian installs it, flushing its log before each answer. Undefined if it is not installed. */
export async function startRedis(folder: string): Promise<Database | undefined> {
  const program = findProgram('redis-server')
  if (program === undefined) return undefined
  const port = await freePort()
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  }
  const child = spawn(
    program,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await untilSays(child, child.stdout, 'Ready to accept connections')
  const url = `redis://127.0.0.1:${port}`
  return {
    ...{ url, pid: child.pid, stop: () => stopProcess(child) },
    async fill(shops) {
      const client = createClient({ url })
      await client.connect()
      await client.hSet(
        'devices',
        Object.fromEntries(shops.map(({ terminalID, serial }) => [terminalID, serial])),
      )
      await client.close()
    },
  }
}
