import { expect, it } from 'vitest'
import { maskKey } from '../../../protocol/keys.ts'
import { NEXT_KEY, OFFER, openStage } from './stage.ts'

const ABLE = { caps: ['rekey' as const, 'update' as const] }

it('sb/1 2.6: sends a new key masked under the key of the session and the id of the command', async () => {
  const stage = await openStage()
  const line = stage.connect()
  await line.born(ABLE)
  await line.obey()
  await stage.give('key')
  const [sent, ...others] = line.ofType('rekey')
  expect(others).toEqual([])
  const masked = Buffer.from(String(Object(sent?.command.d).key), 'base64url')
  expect(maskKey(stage.speaker.key, sent?.command.id ?? '', masked)).toEqual(NEXT_KEY.key)
})

it('sb/1 2.9: sends the key again after each welcome under the old one, once in a session, under a new id', async () => {
  const stage = await openStage()
  await stage.give('key')
  const ids: (string | undefined)[] = []
  for (let session = 0; session < 2; session += 1) {
    const line = stage.connect()
    await line.born(ABLE)
    await line.obey()
    await stage.give('firmware')
    await line.obey()
    expect(line.ofType('rekey')).toHaveLength(1)
    ids.push(line.ofType('rekey')[0]?.command.id)
  }
  expect(new Set(ids).size).toBe(2)
})

it('sb/1 2.9, sb/1 18.1: sends both again when a set clock drops what was under way', async () => {
  const stage = await openStage()
  await stage.give('key')
  await stage.give('firmware')
  const line = stage.connect()
  await line.born({ ...ABLE, firmware: '1.0' })
  stage.clock.set(3_600_000)
  await stage.clock.wind(1_000)
  await line.obey()
  expect(line.ofType('rekey')).toHaveLength(1)
  expect(line.ofType('update')).toHaveLength(1)
})

it('sb/1 2.6, sb/1 18.1: sends neither to a device that does not say that it takes them', async () => {
  const stage = await openStage()
  await stage.give('key')
  await stage.give('firmware')
  const line = stage.connect()
  await line.born()
  await line.obey()
  await stage.give('key')
  expect(line.types()).not.toContain('rekey')
  expect(line.types()).not.toContain('update')
})

it('sb/1 18.1: offers firmware at once and after each welcome, behind payments, until the device runs it', async () => {
  const stage = await openStage()
  const line = stage.connect()
  await line.born({ ...ABLE, firmware: '1.0' })
  await line.obey()
  await stage.give('firmware')
  expect(line.said('update')).toEqual([OFFER])

  const later = stage.connect()
  await stage.pay()
  await later.born({ ...ABLE, firmware: '1.0' })
  await later.obey()
  const types = later.types()
  expect(types.indexOf('update')).toBeGreaterThan(types.indexOf('announce'))

  const updated = stage.connect()
  await updated.born({ ...ABLE, firmware: '2.0' })
  await updated.obey()
  expect(updated.types()).not.toContain('update')
})
