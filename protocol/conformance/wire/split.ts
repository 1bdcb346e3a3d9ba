/** Bytes of one packet that the kit takes before it calls the stream broken: far above what 1.4 allows a device. */
const LONGEST_PACKET = 65_536
/** MQTT 3.1.1, 2.2.3: the remaining length takes one to four bytes. */
const LENGTH_BYTES = 4

/** What came out of a stream: whole packets, and why it can't be read on, if it can't. */
export interface Split {
  packets: Buffer[]
  broken: string | undefined
}

/** Cuts a byte stream into MQTT packets by their fixed headers, and keeps the bytes as they came. */
export class PacketSplitter {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): Split {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const packets: Buffer[] = []
    for (;;) {
      const size = packetSize(this.#rest)
      if (size === 'malformed') return { packets, broken: 'the remaining length is malformed (MQTT 2.2.3)' }
      if (size === undefined) return { packets, broken: undefined }
      if (size > LONGEST_PACKET)
        return {
          packets,
          broken: `a packet announces ${size} bytes: the kit reads ${LONGEST_PACKET} at most`,
        }
      if (this.#rest.length < size) return { packets, broken: undefined }
      packets.push(this.#rest.subarray(0, size))
      this.#rest = this.#rest.subarray(size)
    }
  }
}

/** Bytes of the packet that starts here; undefined while its header is not complete. */
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
