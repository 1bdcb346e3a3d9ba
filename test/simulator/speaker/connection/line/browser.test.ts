import { expect, it } from 'vitest'
import { lineOf } from '../../../../../simulator/speaker/connection/line/browser.ts'

const OPEN = 1

/** A stream of MQTT.js on a WebSocket that notes what is sent. */
function streamOnSocket(readyState: number) {
  const sent: unknown[] = []
  const socket = { readyState, OPEN, send: (bytes: unknown) => void sent.push(bytes) }
  return { sent, stream: { socket } }
}

it.each([
  ['sends on a WebSocket that is open', OPEN, ['ack']],
  ['sends nothing on one that closes: the browser would complain', 2, []],
  ['sends nothing on one that is closed', 3, []],
])('%s', (_, readyState, expected) => {
  const { sent, stream } = streamOnSocket(readyState)
  expect(lineOf(stream)).toBe(stream)
  stream.socket.send('ack')
  expect(sent).toEqual(expected)
})

it('leaves a stream without a WebSocket as it is', () => {
  const stream = {}
  expect(lineOf(stream)).toBe(stream)
})
