import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestPostgres } from '../../../../support/postgres.ts'
import { PATIENT } from '../../../../support/processes/postgres.ts'
import { hubEnv, runHub, start } from '../../../../support/processes/process.ts'
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
  const { clientId } = (await startShop(env)).partner
  async function pay(amount: string): Promise<string> {
    const order = ['pay', '--client', clientId, '--terminal', 'T-01', '--bank', 'MB', '--amount', amount]
    const paid = await runHub([...order, '--json'], env)
    expect(paid.code).toBe(0)
    return Object(paid.json).ftCode
  }
  const listen = (...args: string[]) =>
    start(process.execPath, ['server/operate/cli/main.ts', 'listen', ...args], env)
  return { clientId, pay, listen }
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
    ['--client', 'c', '--forward-to', 'http://'],
    ['--client', 'c', '--forward-to', 'ftp://127.0.0.1/'],
    ['--client', 'c', '--forward-to', 'http://me:secret@127.0.0.1/'],
  ]
  for (const args of wrong)
    expect(await listen(...args), args.join(' ')).toMatchObject({ code: 2, stdout: '' })
})
