import { once } from 'node:events'
import { createServer, Server } from 'node:net'
import { OpenAPIHono } from '@hono/zod-openapi'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Connections } from '../../server/http/connections/connections.ts'
import type { HttpEnv } from '../../server/http/response/env.ts'
import { type ListenerDeps, openAdminListener, openListeners } from '../../server/listeners.ts'
import { readConfig } from '../../server/platform/config.ts'
import { createLog } from '../../server/platform/log.ts'
import { cached } from '../../server/site/asset.ts'
import { createVirtualClock } from '../support/clock.ts'
import { eventually } from '../support/wait.ts'

it('does not take speakers again that it refuses once more while its port is taken', async () => {
  const clock = createVirtualClock()
  const lines: string[] = []
  const opened = new AsyncDisposableStack()
  onTestFinished(() => opened.disposeAsync())
  const config = readConfig({
    ...{ HUB_HTTP_HOST: '127.0.0.1', HUB_HTTP_PORT: '0', HUB_MQTT_HOST: '127.0.0.1', HUB_MQTT_PORT: '0' },
  })
  const deps = {
    ...{ app: { fetch: () => new Response() }, broker: {}, addressOf: () => '', stopping: undefined },
    ...{ connections: new Connections({ clock }), clock },
    log: createLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) }),
  }
  const { addresses, refuseSpeakers, takeSpeakers } = await openListeners(
    config,
    deps as unknown as ListenerDeps,
    opened,
  )
  refuseSpeakers()
  const { port } = new URL(addresses.mqtt ?? '')
  const other = createServer().listen(Number(port), '127.0.0.1')
  await once(other, 'listening')
  takeSpeakers()
  await eventually(() => expect(lines).toEqual(['speakers can not be taken yet']))
  refuseSpeakers()
  other.close()
  await once(other, 'close')
  const listen = vi.spyOn(Server.prototype, 'listen')
  onTestFinished(() => listen.mockRestore())
  await clock.wind(10_000)
  expect(listen).not.toHaveBeenCalled()
})

it('loads the console at the first request to it, and again after a failure', async () => {
  const opened = new AsyncDisposableStack()
  onTestFinished(() => opened.disposeAsync())
  const lines: string[] = []
  const loaded: string[] = []
  const figures = new OpenAPIHono<HttpEnv>()
  figures.get('/metrics', (c) => c.text('figures'))
  let isBroken = true
  const { addresses } = await openAdminListener(
    readConfig({ HUB_ADMIN_PORT: '0' }),
    {
      admin: figures,
      loadConsole: cached(async () => {
        loaded.push(isBroken ? 'failed' : 'loaded')
        if (isBroken) throw new Error('EMFILE')
        return { fetch: () => new Response('a page') }
      }),
      log: createLog('error', { write: (line) => void lines.push(JSON.parse(line).err?.message) }),
      ...{ clock: createVirtualClock(), stopping: undefined },
    },
    opened,
  )
  const ask = async (path: string) => {
    const answer = await fetch(`${addresses.admin}${path}`)
    return [answer.status, await answer.text()]
  }
  expect(await ask('/metrics')).toEqual([200, 'figures'])
  expect(loaded).toEqual([])
  expect(await ask('/')).toEqual([500, expect.stringContaining('"INTERNAL"')])
  expect(lines).toContain('EMFILE')
  isBroken = false
  const page = [200, 'a page']
  expect(await Promise.all(['/', '/metrics/', '/day'].map(ask))).toEqual([page, page, page])
  expect(await ask('/metrics?x=1')).toEqual([200, 'figures'])
  expect(loaded).toEqual(['failed', 'loaded'])
})
