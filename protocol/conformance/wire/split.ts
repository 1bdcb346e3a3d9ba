/** The largest packet that the kit reads, far above the limit of 1.4. Bounds the memory. */
const MAX_PACKET_BYTES = 65_536
/** The remaining length takes one to four bytes (MQTT 3.1.1, 2.2.3). */
const LENGTH_BYTES = 4

/** The complete packets of a stream, and why the rest can't be read, if it can't. */
export interface Split {
  packets: Buffer[]
  broken: string | undefined
}

/** Splits a byte stream into MQTT packets by their fixed headers, without changing the bytes. */
export class PacketSplitter {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): Split {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const packets: Buffer[] = []
    for (;;) {
      const size = packetSize(this.#rest)
      if (size === 'malformed') return { packets, broken: 'the remaining length is malformed (MQTT 2.2.3)' }
      if (size === undefined) return { packets, broken: undefined }
      if (size > MAX_PACKET_BYTES)
        return {
          packets,
          broken: `a packet announces ${size} bytes: the kit reads ${MAX_PACKET_BYTES} at most`,
        }
      if (this.#rest.length < size) return { packets, broken: undefined }
      packets.push(this.#rest.subarray(0, size))
      this.#rest = this.#rest.subarray(size)
    }
  }
}

/** The size of the packet that starts here. Undefined while its header is incomplete. */
function packetSize(bytes: Buffer): number | 'malformed' | undefined {
  let remaining = 0
  for (let index = 0; index < LENGTH_BYTES; index += 1) {
    const byte = bytes[index + 1]
    if (byte === undefined) return undefined
    remaining += (byte & 0x7f) * 128 ** index
    if (byte < 0x80) return 2 + index + remaining
  }
  return 'malformed'
}
