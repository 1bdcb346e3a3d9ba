import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { PATIENT } from '../../../../support/processes/postgres.ts'
import { hubEnv, runHub, start, startHubProcess } from '../../../../support/processes/process.ts'
import { startShop } from '../../../../support/processes/shop.ts'
import { until } from '../../../../support/wait.ts'

interface Received {
  method: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

const postgres = await startTestPostgres()
const ARRANGEMENTS = ['SQLite', ...(postgres ? ['PostgreSQL'] : [])]

/** A receiver that answers by these statuses, one request after another. */
async function startReceiver(statuses: readonly number[]) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    received.push({ method: request.method, headers: request.headers, body })
    // A kept connection may be closed as idle at the moment of the next forward.
    const headers = { Location: '/elsewhere', Connection: 'close' }
    response.writeHead(statuses[received.length - 1] ?? 200, headers).end('so be it')
  })
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(close)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { received, close, url: `http://127.0.0.1:${Object(server.address()).port}/webhook` }
}

/** A hub with a partner, its shop and a speaker. */
async function openShop(arrangement: string) {
  const url = arrangement === 'PostgreSQL' ? await postgres?.database() : undefined
  const env = hubEnv(temporaryFolder(), url === undefined ? {} : { HUB_DATABASE_URL: `${url}${PATIENT}` })
  const shop = await startShop(env)
  const { clientId, clientSecret } = shop.partner
  async function pay(amount: string): Promise<string> {
    const order = ['pay', '--client', clientId, '--terminal', 'T-01', '--bank', 'MB', '--amount', amount]
    const paid = await runHub([...order, '--json'], env)
    expect(paid.code).toBe(0)
    return Object(paid.json).ftCode
  }
  const listen = (...args: string[]) =>
    start(process.execPath, ['server/operate/cli/main.ts', 'listen', ...args], env)
  return { env, hub: shop.hub, clientId, clientSecret, pay, listen }
}

it.each(ARRANGEMENTS)(
  'prints and forwards the payments from now on, whatever the receiver answers, and ends by a signal, on %s',
  async (arrangement) => {
    const { clientId, pay, listen } = await openShop(arrangement)
    await pay('1000')
    const receiver = await startReceiver([500, 302, 204])
    const types = ['--types', 'payment.recorded,bill.paid']
    const listening = listen('--client', clientId, ...types, '--forward-to', receiver.url)
    const other = listen('--client', clientId)
    await until('the first line of the other', () => other.events()[0])
    const started = await until('the first line', () => listening.events()[0])
    expect(started).toEqual({
      ...{ event: 'listening', clientId, types: ['payment.recorded', 'bill.paid'], forwardTo: receiver.url },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })

    const ftCodes = [await pay('2000'), await pay('3000'), await pay('4000')]
    await until('three forwards', () => listening.events().length >= 7)
    receiver.close()
    ftCodes.push(await pay('5000'))
    await until('a forward that reaches nobody', () => listening.events().length >= 9)
    await until('all events of the other', () => other.events().length >= 1 + ftCodes.length)
    other.child.kill('SIGINT')
    expect(await other.ended).toMatchObject({ code: 0, stderr: '' })
    listening.child.kill('SIGTERM')
    expect(await listening.ended).toMatchObject({ code: 0, stderr: '' })

    const lines = listening.events().slice(1)
    const [told, results] = [
      lines.filter((_, line) => line % 2 === 0),
      lines.filter((_, line) => line % 2 === 1),
    ]
    expect(told).toMatchObject(ftCodes.map((ftCode) => ({ type: 'payment.recorded', data: { ftCode } })))
    const ms = expect.any(Number)
    // The receiver is in this process: when that stands still for so long, the command goes on.
    const late = { error: 'no answer within 15 s' }
    expect(results).toEqual(
      [{ status: 500 }, { status: 302 }, { status: 204 }, { error: 'ECONNREFUSED' }].map((result, n) =>
        expect.toBeOneOf([result, late].map((one) => ({ event: 'forwarded', id: told[n]?.id, ms, ...one }))),
      ),
    )

    // The redirect was not followed, and no failure was repeated.
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      told.slice(0, 3).map(({ id }) => id),
    )
    const webhook = new Webhook(String(started.secret))
    for (const [n, { method, headers, body }] of receiver.received.entries()) {
      expect([method, headers['content-type']]).toEqual(['POST', 'application/json'])
      const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      expect(webhook.verify(body, flat)).toEqual(told[n])
    }
  },
)

it('listens from a machine without a data folder, by the secret of the partner, signed by the same secret each time', async () => {
  const { hub, clientId, clientSecret, pay } = await openShop('SQLite')
  const folder = temporaryFolder()
  const env = { XDG_STATE_HOME: folder, HUB_DATA_DIR: `${folder}/none`, HUB_CLIENT_SECRET: clientSecret }
  const args = ['listen', '--client', clientId, '--url', hub.http]
  const secrets: unknown[] = []
  for (const more of [[], [], ['--new-secret']]) {
    const listening = start(process.execPath, ['server/operate/cli/main.ts', ...args, ...more], env)
    secrets.push((await until('the first line', () => listening.events()[0])).secret)
    listening.child.kill('SIGINT')
    expect(await listening.ended).toMatchObject({ code: 0, stderr: '' })
  }
  expect(secrets[1]).toBe(secrets[0])
  expect(secrets[2]).not.toBe(secrets[0])

  const script = start(
    process.execPath,
    ['server/operate/cli/main.ts', ...args, '--once', 'payment.recorded'],
    env,
  )
  await until('the wait', () => script.stderr().startsWith('Waiting for payment.recorded'))
  const ftCode = await pay('2000')
  expect(await script.ended).toMatchObject({ code: 0 })
  expect(script.events()).toMatchObject([{ type: 'payment.recorded', data: { ftCode } }])
  expect(existsSync(env.HUB_DATA_DIR)).toBe(false)

  const wrong = await runHub(args, { ...env, HUB_CLIENT_SECRET: 'sbs_wrong' })
  expect(wrong).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr:
      'The hub refuses: The client id or client secret is wrong. Compare the client id with hub partner list; hub partner rotate-secret makes another secret. If both are right, the hub runs on another database. (40103)\n',
  })
  const none = await runHub(args, { XDG_STATE_HOME: folder, HUB_DATA_DIR: env.HUB_DATA_DIR })
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('HUB_CLIENT_SECRET') })
})

it('locks nothing, and goes on when the hub starts again elsewhere; a command that is refused names the hub', async () => {
  const { env, hub, clientId, pay, listen } = await openShop('SQLite')
  const listening = listen('--client', clientId, '--types', 'payment.recorded')
  await until('the first line', () => listening.events()[0])
  const backup = `${temporaryFolder()}/hub.backup`
  expect(await runHub(['backup', backup], env)).toMatchObject({ code: 0 })
  const refused = await runHub(['restore', backup], env)
  expect(refused.stderr).toBe(
    `A hub is running on this data folder (npm start, pid ${hub.child.pid}): stop it first, and start it again afterwards.\n`,
  )
  hub.child.kill('SIGTERM')
  await hub.ended
  await until('the complaint', () => listening.stderr().startsWith('The hub does not answer'))
  expect(await runHub(['restore', backup], env)).toMatchObject({ code: 0, stderr: '' })

  await startHubProcess(env)
  const ftCode = await pay('3000')
  await until('the payment', () => listening.events().some(({ type }) => type === 'payment.recorded'))
  expect(listening.events().slice(1)).toMatchObject([
    { event: 'back', awayMs: expect.any(Number), missed: expect.any(Number) },
    { type: 'payment.recorded', data: { ftCode } },
  ])
  listening.child.kill('SIGTERM')
  expect(await listening.ended).toMatchObject({ code: 0 })
})

it('refuses an unknown partner, unknown types and addresses to which nothing can be sent', async () => {
  const env = hubEnv(temporaryFolder())
  await runHub(['partner', 'create', '--name', 'Acme'], env)
  const listen = (...args: string[]) => runHub(['listen', ...args], env)
  expect(await listen('--client', 'sbc_none')).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: 'There is no partner sbc_none: see hub partner list.\n',
  })
  const wrong = [
    [],
    ['--client', 'c', '--types', 'payment.recorded,payment'],
    ['--client', 'c', '--once', 'payment'],
    ['--client', 'c', '--once', 'bill.paid', '--types', 'bill.paid'],
    ['--client', 'c', '--url', 'hub.example'],
    ['--client', 'c', '--forward-to', 'http://'],
    ['--client', 'c', '--forward-to', 'ftp://127.0.0.1/'],
    ['--client', 'c', '--forward-to', 'http://me:secret@127.0.0.1/'],
  ]
  for (const args of wrong)
    expect(await listen(...args), args.join(' ')).toMatchObject({ code: 2, stdout: '' })
})
