/** A header of the PROXY protocol, version 2, from bytes in hex: command and family, length, addresses and the rest. */
export function proxyHeader(hex: string): Buffer {
  return Buffer.from(`0d0a0d0a000d0a515549540a${hex}`.replaceAll(' ', ''), 'hex')
}

/** 203.0.113.7:56324 to 192.0.2.1:1883. */
export const FROM_TCP4 = proxyHeader('2111 000c cb007107 c0000201 dc04 075b')

/** From an IPv4 address to the same place. */
export function proxiedFrom(address: string): Buffer {
  const source = Buffer.from(address.split('.').map(Number)).toString('hex')
  return proxyHeader(`2111 000c ${source} c0000201 dc04 075b`)
}
