/** Names the protocol of a connection whose first bytes are no MQTT. Undefined if they may be MQTT. */
export function foreignProtocol(first: Buffer): string | undefined {
  const text = first.subarray(0, 2_048).toString('latin1')
  if (first[0] === 0x16 && first[1] === 0x03)
    return 'the device speaks TLS, and the kit plain TCP: give the device an mqtt:// address for the test'
  if (/^(GET|POST|PUT|HEAD|OPTIONS|CONNECT) /.test(text))
    return /^upgrade: *websocket/im.test(text)
      ? 'the device speaks WebSocket, and the kit plain TCP: give the device an mqtt:// address for the test'
      : 'the device speaks HTTP: sb/1 is MQTT; use the port of MQTT'
  if (text.startsWith('PROXY ') || text.startsWith(PROXY_V2))
    return 'a proxy sends a PROXY header: switch it off for the test'
  if (/^[\x20-\x7e\r\n]{8}/.test(text))
    return 'the device sends text, not MQTT: does it speak through a modem or a console?'
  return undefined
}

const PROXY_V2 = '\r\n\r\n\0\r\nQUIT\n'
