import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIVE } from './paths.ts'

/** Bodies by their paths; that of the live page is one message. */
export type Recorded = Readonly<Record<string, string>>

const EVERY_MS = 1_000

/** A process that gives people the pages and the messages of a hub, without any work for them. */
const [recorded] = (await once(process, 'message')) as [Recorded]
const server = createServer(({ url = '' }, answer) => {
  if (url !== LIVE) return void answer.setHeader('Content-Type', 'text/html').end(recorded[url])
  answer.setHeader('Content-Type', 'text/event-stream')
  const beat = setInterval(() => answer.write(recorded[LIVE]), EVERY_MS)
  answer.on('close', () => clearInterval(beat))
  answer.write(recorded[LIVE])
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
