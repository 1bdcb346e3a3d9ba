import { chownSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { connectToPrimary } from '../../../../server/storage/postgres/engine/primary.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { makeCertificate } from '../../../support/processes/certificate.ts'
import { findPostgres, NOBODY, startPostgres } from '../../../support/processes/postgres.ts'
import { findProgram } from '../../../support/processes/program.ts'

const canRun = (await findPostgres()) !== undefined && findProgram('openssl') !== undefined

it.skipIf(!canRun)('encrypts by sslmode=verify-full, and only to the server of the certificate', async () => {
  const { certFile: cert, keyFile: key } = makeCertificate(onTestFinished, 'DNS:localhost')
  if (process.getuid?.() === 0) for (const path of [dirname(cert), cert, key]) chownSync(path, NOBODY, NOBODY)
  const server = await startPostgres(temporaryFolder(), { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key })
  if (!server) throw new Error('PostgreSQL did not start')
  const { port } = new URL(server.url)

  const isEncrypted = async (host: string, query: string) => {
    const client = await connectToPrimary(`postgres://postgres@${host}:${port}/postgres?${query}`)
    const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
    await client.end()
    return rows[0].ssl
  }
  try {
    const verified = `sslmode=verify-full&sslrootcert=${cert}`
    expect(await isEncrypted('localhost', verified)).toBe(true)
    await expect(isEncrypted('127.0.0.1', verified)).rejects.toThrow(/does not match certificate/)
    await expect(isEncrypted('localhost', 'sslmode=verify-full')).rejects.toThrow(/self-signed/)
    expect(await isEncrypted('localhost', 'sslmode=disable')).toBe(false)
  } finally {
    await server.stop()
  }
})
