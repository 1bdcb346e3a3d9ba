import { expect, it } from 'vitest'
import { createStrangers } from '../../../server/mqtt/strangers.ts'

/** Strangers of which at most five wait, and three of one network. */
function world() {
  const strangers = createStrangers({ all: 5, ofNetwork: 3 })
  const ended: string[] = []
  const add = (name: string, address: string) => strangers.add(address, () => ended.push(name))
  return { strangers, ended, add }
}

it('the oldest of a network gives way to a newer one of the same', () => {
  const { ended, add } = world()
  add('elsewhere', '10.0.0.9')
  for (const name of ['a', 'b', 'c', 'd', 'e']) add(name, '10.0.0.1')
  expect(ended).toEqual(['a', 'b'])
})

it('the oldest of all gives way when all networks together have too many', () => {
  const { ended, add } = world()
  for (let network = 1; network <= 7; network += 1) add(`${network}`, `10.0.0.${network}`)
  expect(ended).toEqual(['1', '2'])
})

it('a /64 of IPv6 is one network', () => {
  const { ended, add } = world()
  for (let host = 1; host <= 4; host += 1) add(`${host}`, `2001:db8::${host}`)
  expect(ended).toEqual(['1'])
})

it('who has said who it is gives way to nobody, and leaves room', () => {
  const { ended, add } = world()
  const known = add('known', '10.0.0.1')
  known()
  known()
  for (const name of ['a', 'b', 'c']) add(name, '10.0.0.1')
  expect(ended).toEqual([])
  add('d', '10.0.0.1')
  expect(ended).toEqual(['a'])
})

it('all end when the hub does', () => {
  const { strangers, ended, add } = world()
  for (const name of ['a', 'b']) add(name, '10.0.0.1')
  strangers.endAll()
  strangers.endAll()
  expect(ended).toEqual(['a', 'b'])
})
