import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { MOST_WAIT_S } from '../../../server/events/dto.ts'
import { listen } from '../../../server/platform/listen.ts'
import { COUNT_MS } from '../../../server/webhooks/replay-events.ts'
import { openHaproxy } from '../../force/parts/haproxy.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { findProgram } from '../../support/processes/program.ts'
import { until } from '../../support/wait.ts'

const HELD = '/held'

it.each(['deploy/haproxy.cfg', 'docs/scale.md'])(
  'the HAProxy of %s waits longer for an answer than the longest one takes',
  (file) => {
    const [, seconds] =
      /backend hub_http\n(?: {2}.*\n)*? {2}timeout server (\d+)s\n/.exec(readFileSync(file, 'utf8')) ?? []
    expect(Number(seconds) * 1_000).toBeGreaterThan(Math.max(COUNT_MS, MOST_WAIT_S * 1_000))
  },
)

it.skipIf(findProgram('haproxy') === undefined)(
  'behind the HAProxy of docs/scale.md a hub that hangs holds no request, and no hub is a 503 with its code',
  async () => {
    const held: unknown[] = []
    let hangs = false
    const hub = createServer((request, response) => {
      if (request.url === HELD || hangs) held.push(response)
      else response.end()
    })
    const address = `http://127.0.0.1:${await listen(hub, '127.0.0.1', 0, 'port')}`
    onTestFinished(() => {
      hub.closeAllConnections()
      hub.close()
    })
    const hubs = [{ http: address, mqtt: address.replace('http', 'mqtt'), admin: address }]
    const haproxy = await openHaproxy(hubs, temporaryFolder(), true)
    if (!haproxy) throw new Error('HAProxy is installed')
    onTestFinished(() => haproxy.close())

    const asked = fetch(haproxy.partners + HELD).then(
      ({ status }) => status,
      () => undefined,
    )
    await until('the request at the hub', () => held.length > 0)
    hangs = true
    expect(await asked).not.toBe(200)

    await until('a hub that is down', () => haproxy.up() === 0)
    const answer = await fetch(`${haproxy.partners}/api/v1/partner/device`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toMatchObject({ code: 50300, error: 'UNAVAILABLE', details: [] })
  },
)
