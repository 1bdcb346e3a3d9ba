import { connect } from 'node:net'

const END_OF_HEAD = '\r\n\r\n'
const READ_AT_ONCE = 16 * 1024

/** A minimal client for one HTTP keep-alive connection, so that the benchmark measures the server. */
export interface HttpLine {
  /** Sends a complete request. Resolves with a complete answer 200, and rejects at any other. One at a time. */
  ask(request: Buffer): Promise<void>
  close(): void
}

export async function openHttpLine(url: string): Promise<HttpLine> {
  const { hostname, port } = new URL(url)
  let asked: PromiseWithResolvers<void> | undefined
  let answer = Buffer.alloc(0)

  const callback = (length: number, read: Uint8Array): boolean => {
    const piece = Buffer.from(read.buffer, read.byteOffset, length)
    // Usually the answer is one chunk. Copy whatever must outlive this call.
    const bytes = answer.length === 0 ? piece : Buffer.concat([answer, piece])
    const left = bytes.length - lengthOf(bytes)
    if (left === 0) {
      answer = Buffer.alloc(0)
      if (isOk(bytes)) asked?.resolve()
      else asked?.reject(new Error(`answered ${bytes.toString()}`))
    } else if (left < 0) answer = Buffer.from(bytes)
    else asked?.reject(new Error('answered more than was asked'))
    return true
  }
  const onread = { buffer: Buffer.alloc(READ_AT_ONCE), callback }
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.on('close', () => asked?.reject(new Error('the server has closed a connection')))

  return {
    ask(request) {
      asked = Promise.withResolvers()
      socket.write(request)
      return asked.promise
    },
    close: () => void socket.destroy(),
  }
}

const OK = Buffer.from('HTTP/1.1 200 ')

function isOk(answer: Buffer): boolean {
  return answer.subarray(0, OK.length).equals(OK)
}

/** The size of the whole answer from its headers. Larger than the chunk while the headers are incomplete. */
function lengthOf(answer: Buffer): number {
  const headEnds = answer.indexOf(END_OF_HEAD)
  if (headEnds < 0) return Number.POSITIVE_INFINITY
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, headEnds))?.[1]
  if (length === undefined) throw new Error('an answer does not tell its length')
  return headEnds + END_OF_HEAD.length + Number(length)
}
