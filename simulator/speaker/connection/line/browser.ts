/** What MQTT.js keeps of its WebSocket. A stream of a test has none. */
interface OnSocket {
  socket?: Pick<WebSocket, 'readyState' | 'OPEN' | 'send'>
}

/**
 * In a browser the stream of MQTT.js is the line: a WebSocket has no option for Nagle's algorithm, and the link is never
 * slow.
 *
 * A WebSocket that the other end closes takes no bytes some time before it reports its end. The browser would complain on
 * the console of each send until then. The bytes are lost either way.
 */
export function lineOf<Stream extends OnSocket>(stream: Stream): Stream {
  const { socket } = stream
  if (socket) {
    const send: typeof socket.send = socket.send.bind(socket)
    socket.send = (bytes) => {
      if (socket.readyState === socket.OPEN) send(bytes)
    }
  }
  return stream
}
