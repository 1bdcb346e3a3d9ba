import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { forward } from '../../../../server/operate/cli/forward.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { listening } from '../../../support/listening.ts'

/** Sends one message to a receiver that answers so. */
async function send(answer: RequestListener) {
  const server = createServer(answer)
  const clock = createVirtualClock()
  const stopping = new AbortController()
  const url = `http://${await listening(server)}/`
  const secret = createRandomIds().webhookSecret()
  const result = forward({ url, secret, clock, stopping: stopping.signal }, { id: 'evt_1', body: '{}' })
  return { result, clock, stopping, server }
}

it('gives up after 15 seconds without an answer', async () => {
  const { result, clock, server } = await send(() => undefined)
  await once(server, 'request')
  await clock.wind(15_000)
  expect(await result).toEqual({ error: 'no answer within 15 s', ms: 15_000 })
})

it('gives up at once when it is stopped', async () => {
  const { result, stopping, server } = await send(() => undefined)
  await once(server, 'request')
  stopping.abort()
  expect(await result).toMatchObject({ error: expect.any(String), ms: 0 })
})

it('reads no more than a part of a body that never ends', async () => {
  const { result } = await send((_, response) => {
    const more = () => void response.write(Buffer.alloc(1_048_576))
    response.on('drain', more)
    more()
  })
  expect(await result).toEqual({ status: 200, ms: 0 })
})
