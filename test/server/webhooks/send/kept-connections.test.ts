import { describe, expect, it, onTestFinished } from 'vitest'
import { NO_NETWORK, readNetworks } from '../../../../server/platform/net/address.ts'
import { createPost } from '../../../../server/webhooks/send/post.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { startReceiver } from '../../../support/webhooks/receiver.ts'

/** Every name leads to the receiver. */
function createPoster() {
  const allow = readNetworks('127.0.0.0/8') ?? NO_NETWORK
  const poster = createPost({
    ...{ allow, resolve: async () => ['127.0.0.1'], clock: createVirtualClock(), version: '1.2.3' },
  })
  onTestFinished(poster.close)
  return {
    send: (url: string) => poster.post({ url, headers: {}, body: '{}' }, new AbortController().signal),
  }
}

describe('a connection that is kept', () => {
  it('takes the next request, and a new one replaces it when the endpoint has closed it', async () => {
    const receiver = await startReceiver()
    const { send } = createPoster()
    for (let n = 0; n < 3; n += 1) expect(await send(receiver.url)).toMatchObject({ status: 204 })
    expect(receiver.received.map(({ connection }) => connection)).toEqual([1, 1, 1])
    // As a server does that closes an idle connection while a request is on its way.
    receiver.answer = (response, { connection }, socket) =>
      connection === 1 ? socket.resetAndDestroy() : response.writeHead(200).end()
    expect(await send(receiver.url)).toMatchObject({ status: 200 })
    expect(receiver.connections()).toBe(2)
  })

  it('is tried again once only', async () => {
    const receiver = await startReceiver()
    const { send } = createPoster()
    await send(receiver.url)
    receiver.answer = (_response, _received, socket) => void socket.resetAndDestroy()
    expect(await send(receiver.url)).toMatchObject({ outcome: 'unreachable' })
    expect(receiver.received).toHaveLength(3)
  })

  it('is one of as many to an endpoint as it may have requests under way, and of a thousand in all', async () => {
    const receiver = await startReceiver((response) => void setImmediate(() => response.writeHead(204).end()))
    const { send } = createPoster()
    const all = (hosts: number) =>
      Promise.all(
        Array.from({ length: hosts * 64 }, (_, n) =>
          send(receiver.url.replace('127.0.0.1', `host-${n % hosts}.example`)),
        ),
      )
    await all(1)
    await all(1)
    expect(receiver.connections()).toBe(64)
    await all(17)
    const before = receiver.connections()
    await all(17)
    expect(receiver.connections() - before).toBeGreaterThanOrEqual(17 * 64 - 1_000)
  })
})
