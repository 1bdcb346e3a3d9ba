import { expect, it } from 'vitest'
import { toBase64url } from '#platform'
import { maskKey } from '../../../../protocol/keys.ts'
import { DeviceBench, KEY } from '../../support/device-bench.ts'
import { commandIdOf } from '../../support/hub-double.ts'

const NEXT = Buffer.alloc(32, 5)
const id = commandIdOf(900)
const key = toBase64url(maskKey(Buffer.from(KEY, 'base64url'), id, NEXT))

function withNewKey(): DeviceBench {
  const bench = new DeviceBench()
  bench.connect()
  bench.send('rekey', { key }, { id })
  return bench
}

const kinds = (bench: DeviceBench) => bench.effects.map(({ type }) => type)

it('sb/1 2.7: connects with it when its ack is stored and nothing sounds, and after 60 s in any case', () => {
  const bench = withNewKey()
  bench.wind(59_999)
  expect(kinds(bench)).not.toContain('reconnect')
  bench.wind(1)
  expect(kinds(bench)).toContain('reconnect')

  const quick = withNewKey()
  quick.storeAcks()
  quick.wind(0)
  expect(kinds(quick)).toContain('reconnect')

  const busy = new DeviceBench()
  busy.connect()
  busy.announce('5000')
  busy.send('rekey', { key }, { id })
  busy.storeAcks()
  busy.wind(100)
  expect(kinds(busy)).not.toContain('reconnect')
  busy.wind(30_000)
  busy.storeAcks()
  expect(kinds(busy)).toContain('reconnect')
})

it.each([
  ['0000', 0],
  ['8000', 5_000],
  ['ffff', 9_999],
])('sb/1 2.7: stays connected for a time that its sid chooses: %s, %i ms', (sid, ms) => {
  const bench = new DeviceBench()
  bench.connect(true, KEY, sid)
  bench.send('rekey', { key }, { id })
  bench.storeAcks()
  bench.wind(Math.max(0, ms - 1))
  expect(kinds(bench).includes('reconnect')).toBe(ms === 0)
  bench.announce('5000')
  bench.wind(10)
  expect(kinds(bench).includes('reconnect')).toBe(ms === 0)
  bench.wind(10_000)
  bench.storeAcks()
  bench.wind(0)
  expect(kinds(bench)).toContain('reconnect')
})
