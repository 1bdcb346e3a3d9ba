import { expect, it } from 'vitest'
import { Link } from '../../../protocol/conformance/wire/link.ts'
import { linePair } from './support/line.ts'
import { WarpClock } from './support/warp-clock.ts'

it('sends no answer between the pieces of a packet', async () => {
  const [device, near] = linePair()
  const clock = new WarpClock(0)
  const link = new Link(1, near, clock)
  const read: Buffer[] = []
  device.on('data', (bytes: Buffer) => void read.push(bytes))
  const packet = Buffer.alloc(40, 'p')
  const sent = link.writeInPieces(packet)
  link.send({ cmd: 'pingresp' })
  await clock.passDuring(sent)
  await new Promise((resolve) => setImmediate(resolve))
  expect(Buffer.concat(read)).toEqual(Buffer.concat([packet, Buffer.from([0xd0, 0x00])]))
  expect(read.length).toBeGreaterThan(5)
})
