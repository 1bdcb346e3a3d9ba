import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { connectPartner } from '../../support/http/partner-client.ts'
import { shopWith } from '../../support/mqtt/obedient-device.ts'
import { findPostgres, startPostgres } from '../../support/processes/postgres.ts'
import { hubEnv, startHubProcess } from '../../support/processes/process.ts'
import { minted } from '../../support/processes/shop.ts'
import { installProcessor } from '../../support/samples/processor.ts'
import { LANGUAGES, missing } from '../../support/samples/samples.ts'
import { until } from '../../support/wait.ts'

/** Longer than the hub waits for any answer of PostgreSQL: 8 s. */
const HANGS_MS = 9_000
const PAYMENTS = 20

const languages = LANGUAGES.filter(({ extension }) => ['py', 'php'].includes(extension))
const canRun = languages.filter((language) => missing(language) === undefined)
const canHang = (await findPostgres()) !== undefined && process.platform === 'linux'

it.skipIf(!canHang || canRun.length === 0)(
  'the processors in Python and PHP have each payment recorded and spoken once when PostgreSQL hangs',
  async () => {
    const postgres = await startPostgres(temporaryFolder())
    if (!postgres) throw new Error('PostgreSQL did not start')
    onTestFinished(() => postgres.stop('SIGQUIT'))
    const env = hubEnv(temporaryFolder(), { HUB_DATABASE_URL: postgres.url })
    const { partner, device } = await minted(env)
    const hub = await startHubProcess(env)
    const born = await shopWith(hub, await connectPartner(() => hub.http, partner), device)
    const values = { HUB: hub.http, CLIENT_ID: partner.clientId, CLIENT_SECRET: partner.clientSecret }
    const processors = await Promise.all(canRun.map((language) => installProcessor(language, values)))
    const announced = () => born.heard.filter(({ t }) => t === 'announce').map(({ n }) => n)
    const keep = () =>
      Promise.all(
        processors.map((processor, index) =>
          processor.keep(PAYMENTS, { payDate: new Date().toISOString(), traceTransfer: String(index) }),
        ),
      )

    await keep()
    for (const processor of processors) processor.run()
    await until('payments under way', () => announced().length > PAYMENTS / 2)
    onTestFinished(postgres.goOn)
    postgres.hang()
    await Promise.all([keep(), sleep(HANGS_MS)])
    for (const processor of processors) await processor.untilSaid(/ 503 /)
    postgres.goOn()
    for (const processor of processors)
      await until('an empty outbox', () => processor.waiting() === 0 || processor.hasEnded())
    const codes = processors.flatMap((processor) => processor.codes)

    const client = new Client(postgres.url)
    await client.connect()
    const { rows } = await client.query('SELECT ft_code FROM payments ORDER BY ft_code')
    await client.end()
    expect(rows.map((row) => row.ft_code)).toEqual(codes.toSorted())
    expect(processors.map((processor) => [processor.stopped(), processor.waiting()])).toEqual(
      processors.map(() => [0, 0]),
    )
    await until('the announcements', () => announced().length >= codes.length && born.hasAckedAll())
    expect([announced().length, new Set(announced()).size]).toEqual([codes.length, codes.length])
  },
)
