import { createServer } from 'node:http'
import { createWebSocketStream, WebSocketServer } from 'ws'
import type { Listen } from '../../../../protocol/conformance/wire/listen.ts'
import { readWav, writeWav } from '../../../../simulator/sound/wav.ts'
import type { OnEnd } from '../../../support/folder.ts'
import { listenOnFreePort } from '../../../support/listen.ts'

/** Milliseconds of each clip. The kit waits for the end of every sentence, and some cases need one of a second. */
const CLIP_MS = 150

/** An origin that serves a hub's page, and has the kit behind `/mqtt` in place of the hub. */
export async function startKitOrigin(hub: string, onEnd: OnEnd): Promise<{ origin: string; listen: Listen }> {
  const server = createServer(async ({ method, url = '/' }, response) => {
    const answer = await fetch(new URL(url, hub), { method: method ?? 'GET' })
    const body = Buffer.from(await answer.arrayBuffer())
    const names = ['content-type', 'content-security-policy', 'service-worker-allowed']
    const headers = names.flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    response.writeHead(answer.status, Object.fromEntries(headers))
    response.end(url === '/speaker/clips.json' ? shortened(body) : body)
  })
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'mqtt' })
  onEnd(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  const port = await listenOnFreePort(server)
  return {
    origin: `http://127.0.0.1:${port}`,
    listen: async (serve) => {
      server.on('upgrade', (request, socket, head) => {
        sockets.handleUpgrade(request, socket, head, (webSocket) => serve(createWebSocketStream(webSocket)))
      })
      return { port, close: () => server.removeAllListeners('upgrade') }
    },
  }
}

/** The clips, each cut to its first moments. */
function shortened(clips: Buffer): string {
  const languages: Record<string, Record<string, string>> = JSON.parse(clips.toString())
  const short = (file: string) => {
    const { rate, samples } = readWav(Buffer.from(file, 'base64url'))
    const cut = samples.subarray(0, (rate * CLIP_MS) / 1_000)
    return Buffer.from(writeWav({ rate, samples: cut }, 'mulaw')).toString('base64url')
  }
  const each = Object.entries(languages).map(([language, files]) => {
    const cut = Object.entries(files).map(([clip, file]) => [clip, short(file)] as const)
    return [language, Object.fromEntries(cut)] as const
  })
  return JSON.stringify(Object.fromEntries(each))
}
