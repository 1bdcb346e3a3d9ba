import { describe, expect, it } from 'vitest'
import { createStrangers, PLACES } from '../../../server/mqtt/strangers.ts'

/** `ended` has who was destroyed, `gaveWay` the addresses of those that gave way. */
function world(places = { ofDevices: 2, others: 5, ofProxies: 2 }) {
  const [ended, gaveWay] = [[] as string[], [] as string[]]
  const strangers = createStrangers((address) => gaveWay.push(address), places)
  const socket = (name: string) => ({ destroy: () => ended.push(name) as never })
  const add = (name: string, address: string) => strangers.add(socket(name), address)
  const addAll = (names: string, address: string) => [...names].map((name) => add(name, address))
  const addBehind = (proxy: string, name: string) => strangers.addBehind(proxy, socket(name))
  return { strangers, ended, gaveWay, add, addAll, addBehind }
}

describe('when all places are taken', () => {
  it('the oldest of the network that has the most gives way', () => {
    const { ended, gaveWay, add, addAll } = world()
    add('few', '10.0.0.9')
    addAll('abcdef', '10.0.0.1')
    add('few too', '10.0.0.8')
    expect(ended).toEqual(['a', 'b', 'c'])
    expect(gaveWay).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.1'])
  })

  it('the oldest of all gives way when no network has more than another', () => {
    const { ended, add } = world()
    for (let network = 1; network <= 7; network += 1) add(`${network}`, `10.0.0.${network}`)
    expect(ended).toEqual(['1', '2'])
  })

  it('it is the network that has the most now, not the one that had', () => {
    const { ended, addAll } = world()
    const [first, second] = addAll('abc', '10.0.0.1')
    addAll('de', '10.0.0.2')
    first?.leaves()
    second?.leaves()
    addAll('fgh', '10.0.0.3')
    expect(ended).toEqual(['f'])
  })

  it('a /48 of IPv6 is one network, because anybody can get one', () => {
    const { ended, add } = world()
    add('few', '2001:db8:1::1')
    for (let subnet = 1; subnet <= 5; subnet += 1) add(`${subnet}`, `2001:db8:0:${subnet}::1`)
    expect(ended).toEqual(['1'])
  })

  it('who has left, or has logged in, gives way to nobody and leaves its place', () => {
    const { ended, addAll } = world()
    const [first, second] = addAll('ab', '10.0.0.1')
    first?.leaves()
    first?.leaves()
    second?.loggedIn()
    second?.leaves()
    addAll('cdefg', '10.0.0.2')
    expect(ended).toEqual([])
    addAll('h', '10.0.0.3')
    expect(ended).toEqual(['c'])
  })
})

it('networks of devices have places of their own', () => {
  const { ended, add, addAll } = world()
  add('device', '10.0.0.9').loggedIn()
  addAll('ab', '10.0.0.9')
  for (let network = 1; network <= 6; network += 1) add(`${network}`, `10.0.0.${network}`)
  expect(ended).toEqual(['1'])
  addAll('c', '10.0.0.9')
  expect(ended).toEqual(['1', 'a'])
})

it('who waits behind a proxy that has not named it takes no place of a client', () => {
  const { ended, addAll, addBehind } = world()
  const named = addBehind('10.0.0.1', 'a')
  addAll('vwxyz', '10.0.0.2')
  named()
  for (const name of ['b', 'c', 'd']) addBehind('10.0.0.1', name)
  expect(ended).toEqual(['b'])
})

it('all end when the hub does, and none of them gives way', () => {
  const { strangers, ended, gaveWay, add, addAll, addBehind } = world()
  add('device', '10.0.0.9').loggedIn()
  addAll('a', '10.0.0.9')
  addAll('bc', '10.0.0.1')
  addBehind('10.0.0.2', 'd')
  strangers.destroyAll()
  expect([ended, gaveWay]).toEqual([['a', 'b', 'c', 'd'], []])
})

describe('a speaker that takes six seconds to log in', () => {
  /** 2,000 new connections a second, of which none ends. */
  const FLOOD = 6 * 2_000

  it('is let in during a flood from eleven networks', () => {
    const { ended, gaveWay, add } = world(PLACES)
    for (let more = 0; more < FLOOD; more += 1) add('flood', `10.0.0.${more % 11}`)
    add('speaker', '10.9.9.9')
    for (let more = 0; more < FLOOD; more += 1) add('flood', `10.0.0.${more % 11}`)
    expect(ended).not.toContain('speaker')
    expect(gaveWay).toHaveLength(2 * FLOOD + 1 - PLACES.others)
  })

  it('is let in during a flood from as many networks as connections, when one of its network was before', () => {
    const { ended, add } = world(PLACES)
    add('before', '10.9.9.9').loggedIn()
    add('speaker', '10.9.9.9')
    for (let more = 0; more < FLOOD; more += 1) add('flood', `10.0.${more >> 8}.${more & 255}`)
    expect(ended).not.toContain('speaker')
  })
})
