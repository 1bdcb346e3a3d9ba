import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { resolveHost } from '../../../../server/platform/net/resolve.ts'

const A = 1
const AAAA = 28
const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0, 2, 3]

/** The bytes of one answer: a pointer to the name of the question, the type, the class IN, a TTL and an address. */
function record(type: number, address: number[]): Buffer {
  return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address])
}

/** A name server on loopback. `records` has the addresses of every name by type. */
async function startNameServer(records: (type: number) => number[][], status = NO_ERROR) {
  const server = createSocket('udp4')
  server.on('message', (query, { port, address }) => {
    // After the header of 12 bytes come the name, its end, the type and the class.
    const end = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(end - 4)
    const found = records(type)
    const counts = [0, 1, 0, found.length, 0, 0, 0, 0]
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80 | status, ...counts])
    const answers = found.map((bytes) => record(type, bytes))
    server.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return [`127.0.0.1:${server.address().port}`]
}

const V6 = [0x26, 0x06, 0x28, ...Array.from({ length: 12 }, () => 0), 1]

it('finds all addresses of a name, of both kinds', async () => {
  const servers = await startNameServer((type) =>
    type === A
      ? [
          [93, 184, 215, 14],
          [127, 0, 0, 1],
        ]
      : [V6],
  )
  expect(await resolveHost('a.example', servers)).toEqual(['93.184.215.14', '127.0.0.1', '2606:2800::1'])
})

it('finds those of one kind when there are none of the other', async () => {
  const only4 = await startNameServer((type) => (type === A ? [[93, 184, 215, 14]] : []))
  expect(await resolveHost('a.example', only4)).toEqual(['93.184.215.14'])
  const only6 = await startNameServer((type) => (type === AAAA ? [V6] : []))
  expect(await resolveHost('a.example', only6)).toEqual(['2606:2800::1'])
})

it.each([NO_SUCH_NAME, SERVER_FAILURE])('rejects when the name server answers %i', async (status) => {
  const servers = await startNameServer(() => [], status)
  await expect(resolveHost('nowhere.example', servers)).rejects.toThrow(
    'no address was found for nowhere.example',
  )
})
