import { once } from 'node:events'
import { createServer, Server } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Connections } from '../../server/http/connections/connections.ts'
import { type ListenerDeps, openListeners } from '../../server/listeners.ts'
import { readConfig } from '../../server/platform/config.ts'
import { createLog } from '../../server/platform/log.ts'
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
