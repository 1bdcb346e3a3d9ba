import { expect, it } from 'vitest'
import { StandIn } from '../../../protocol/conformance/hub/stand-in.ts'
import { writePacket } from '../../../protocol/conformance/wire/packet.ts'
import { systemClock } from '../../../simulator/platform/clock.ts'
import { until } from '../../support/wait.ts'
import { KEY, KEYS, SERIAL } from './support/device-under-test.ts'
import { linePair } from './support/line.ts'

const CONNECT = writePacket({
  ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 30 },
  ...{ clientId: SERIAL, username: SERIAL, password: Buffer.from('any') },
})

/** The power was cut while the first connection was under way, and the device has opened a second one. */
it.each([
  ['after the session of the newer one', [2, 1]],
  ['before the CONNECT of the newer one', [1, 2]],
])('a late CONNECT of an older connection ends no newer one: it comes %s', async (_, order) => {
  const identity = { serial: SERIAL, key: KEY, keys: KEYS }
  const standIn = new StandIn({ identity, clock: systemClock, lang: () => 'vi' })
  const { transcript } = standIn
  const lines = [1, 2].map(() => {
    const [device, kit] = linePair({ allowHalfOpen: true })
    standIn.serve(kit)
    return device.resume()
  })
  for (const number of order) {
    lines[number - 1]?.write(CONNECT)
    await until('the CONNECT', () =>
      transcript.all.some(({ kind, link }) => kind === 'connect' && link === number),
    )
  }
  lines[0]?.end()
  await until('the end of the older one', () => transcript.all.some(({ kind }) => kind === 'closed'))
  expect(transcript.all.filter(({ kind }) => kind === 'closed').map(({ link }) => link)).toEqual([1])
  expect(standIn.session?.link).toMatchObject({ number: 2, isOpen: true })
  expect(transcript.all).toContainEqual(expect.objectContaining({ kind: 'connack', link: 2 }))
})
