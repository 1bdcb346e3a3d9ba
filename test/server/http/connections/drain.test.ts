import { expect, it } from 'vitest'
import { settle } from '../../../support/clock.ts'
import { get, serveFront } from './front.ts'

const LONG_MS = 60_000

it('a drain closes idle connections at once, and all others when what was asked is answered', async () => {
  const front = await serveFront()
  // Otherwise Node closes an idle one by itself.
  front.server.keepAliveTimeout = 0
  front.server.timeout = 0
  const [idle, asking, drips] = [await front.open(), await front.open(), await front.open()]
  idle.send(get('/now/1'))
  await idle.answers(1)
  asking.send(get('/wait/2'))
  await front.wasAsked('/wait/2')
  drips.send('GET /now/3 HTT')
  await settle()
  expect(idle.isClosed()).toBe(false)
  const drained = front.drain(LONG_MS)
  await idle.closed()
  expect(asking.isClosed()).toBe(false)
  await front.answer('2')
  expect(await asking.answers(1)).toEqual(['2'])
  await drained
  await asking.closed()
  await drips.closed()
})
