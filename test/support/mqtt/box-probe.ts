import { connectAsync, type IClientOptions } from 'mqtt'
import { onTestFinished } from 'vitest'
import { type ProbeOptions, probe } from '../../../server/operate/cli/box-probe.ts'
import { until } from '../wait.ts'

const room = async () => undefined

/** A probe in this process, and what it has printed. */
export async function startProbe(options: Partial<ProbeOptions> = {}, wait: () => Promise<unknown> = room) {
  const said: Record<string, unknown>[] = []
  const lines: string[] = []
  const complaints: string[] = []
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const ended = probe(
    { host: '127.0.0.1', port: 0, ...options },
    {
      print(json, ...text) {
        said.push(Object(json))
        lines.push(...text)
      },
      room: wait,
      complain: (sentence) => void complaints.push(sentence),
      stopping: ending.signal,
    },
  )
  const refusal = ended.then(() => undefined)
  const listening = await Promise.race([until('the port', () => said[0]), refusal])
  const port = String(listening?.port)
  const url = `mqtt://127.0.0.1:${port}`
  return {
    ...{ said, lines, complaints, url },
    events: (name: string) => said.filter(({ event }) => event === name),
    seen: (name: string, count = 1) =>
      until(`${count} ${name}`, () => said.filter(({ event }) => event === name).length >= count),
    /** Ends the probe. Returns its draft. */
    async end() {
      ending.abort()
      const hasDraft = await ended
      return { hasDraft, draft: said.find(({ event }) => event === 'draft') }
    },
    async box(settings: IClientOptions) {
      const client = await connectAsync(url, { reconnectPeriod: 0, ...settings })
      onTestFinished(() => void client.end(true))
      return client
    },
  }
}
