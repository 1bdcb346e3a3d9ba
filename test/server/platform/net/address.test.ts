import { describe, expect, it } from 'vitest'
import { networkOf, plainAddress, readNetworks } from '../../../../server/platform/net/address.ts'

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('counts %s in the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

it('shows an IPv4 address of an IPv6 socket as IPv4', () => {
  expect(plainAddress('::ffff:192.0.2.7')).toBe('192.0.2.7')
  expect(plainAddress('2001:db8::1')).toBe('2001:db8::1')
})

describe('a list of networks', () => {
  const trusts = readNetworks('10.0.0.0/8, 192.0.2.7,2001:db8::/32')

  it.each(['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', '2001:db8:9::1'])('holds %s', (address) => {
    expect(trusts?.(address)).toBe(true)
  })

  it.each(['11.0.0.1', '192.0.2.8', '2001:db9::1', '', 'unknown'])('does not hold %j', (address) => {
    expect(trusts?.(address)).toBe(false)
  })

  it('of all IPv6 addresses holds no IPv4 address', () => {
    const all = readNetworks('::/0')
    const addresses = ['2001:db8::1', '10.0.0.1', '127.0.0.1', '::ffff:10.0.0.1']
    expect(addresses.map((address) => all?.(address))).toEqual([true, false, false, false])
  })

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0',
    'all',
    '10.0.0.0/8/8',
    '10.0.0.0/8,',
    '2001:db8::/129',
    '10.0.0.0/-1',
  ])('is refused as %j', (text) => expect(readNetworks(text)).toBeUndefined())
})
