import { createServer, type RequestListener } from 'node:http'
import { expect, it } from 'vitest'
import { createPeerQuestion, HUB_HEADER, type Peer } from '../../../server/cluster/peers.ts'
import { listening } from '../../support/listening.ts'

const ID = 'the-hub'

/** For an answer that comes: none takes so long. */
const LONG_MS = 600_000

const isAnyReady = (peers: readonly Peer[], answerWithinMs = LONG_MS) =>
  createPeerQuestion(answerWithinMs)(peers)

/** Something that answers at an address. */
async function serve(answer: RequestListener) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  return { address: `http://${await listening(server)}`, asked }
}

const says = (status: number, headers: Record<string, string>, body = '') =>
  serve((_, response) => void response.writeHead(status, headers).end(body))

it('believes a hub that is ready and names itself', async () => {
  const { address, asked } = await says(200, { [HUB_HEADER]: ID })
  const gone = { id: 'gone', address: 'http://127.0.0.1:9' }
  expect(await isAnyReady([gone, { id: ID, address }])).toBe(true)
  expect(asked).toEqual(['GET /readyz'])
  expect(await isAnyReady([gone])).toBe(false)
  expect(await isAnyReady([])).toBe(false)
})

it('believes nobody else at the address of a hub', async () => {
  const ready = await says(200, { [HUB_HEADER]: ID })
  const others = [
    await says(503, { [HUB_HEADER]: ID }),
    await says(200, { [HUB_HEADER]: 'another' }),
    await says(200, {}),
    await says(302, { [HUB_HEADER]: ID, Location: `${ready.address}/readyz` }),
    await serve((request) => request.socket.destroy()),
  ]
  for (const { address } of others) expect(await isAnyReady([{ id: ID, address }])).toBe(false)
  expect(ready.asked).toEqual([])
})

it('waits for no answer that does not come, and reads no body', async () => {
  const silent = await serve(() => undefined)
  const endless = await serve((_, response) => {
    response.writeHead(200, { [HUB_HEADER]: ID })
    const more = () => response.write('x'.repeat(65_536)) && setImmediate(more)
    response.on('drain', more)
    more()
  })
  expect(await isAnyReady([{ id: ID, address: silent.address }], 10)).toBe(false)
  expect(await isAnyReady([{ id: ID, address: endless.address }])).toBe(true)
})

it.each(['', 'no address', 'file:///etc/passwd', 'ftp://127.0.0.1/', 'http://user:password@127.0.0.1:9/'])(
  'asks nobody at %s',
  async (address) => {
    expect(await isAnyReady([{ id: ID, address }])).toBe(false)
  },
)

it('asks five at most at a time', async () => {
  const { address, asked } = await says(503, {})
  await isAnyReady(Array.from({ length: 20 }, () => ({ id: ID, address })))
  expect(asked).toHaveLength(5)
})

it('asks the next five each time: the first ones may be cut off, too', async () => {
  const away = await says(503, { [HUB_HEADER]: ID })
  const ready = await says(200, { [HUB_HEADER]: ID })
  const peers = [...Array(6).fill(away), ready].map(({ address }) => ({ id: ID, address }))
  const isNextReady = createPeerQuestion(LONG_MS)
  expect([await isNextReady(peers), await isNextReady(peers)]).toEqual([false, true])
})
