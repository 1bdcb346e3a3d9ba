import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  NO_PROXY,
  networkOf,
  plainAddress,
  readNetworks,
  requestAddress,
  type TrustsProxy,
} from '../../../../server/platform/net/address.ts'

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

const BALANCERS = readNetworks('10.0.0.0/8,fd00::/8') ?? NO_PROXY

function seen(peer: string | undefined, forwarded: string | undefined, trusts: TrustsProxy = BALANCERS) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  // All that the function reads of a message.
  return requestAddress({ socket: { remoteAddress: peer }, headers } as IncomingMessage, trusts)
}

it.each([
  { why: 'the peer without the header', peer: '10.0.0.1', forwarded: undefined, is: '10.0.0.1' },
  { why: 'the entry of a trusted proxy', peer: '10.0.0.1', forwarded: '203.0.113.9', is: '203.0.113.9' },
  {
    why: 'the rightmost entry, not what the client wrote left of it',
    peer: '10.0.0.1',
    forwarded: '198.51.100.1, 203.0.113.9',
    is: '203.0.113.9',
  },
  {
    why: 'the rightmost entry that is no proxy',
    peer: '10.0.0.1',
    forwarded: '198.51.100.1, 203.0.113.9 ,10.0.0.2,fd00::7',
    is: '203.0.113.9',
  },
  { why: 'the peer when only proxies are named', peer: '10.0.0.1', forwarded: '10.0.0.2', is: '10.0.0.1' },
  { why: 'the peer that is no proxy', peer: '203.0.113.1', forwarded: '198.51.100.1', is: '203.0.113.1' },
  { why: 'the peer when the entry is none', peer: '10.0.0.1', forwarded: 'unknown', is: '10.0.0.1' },
  {
    why: 'the peer when the entry has a port',
    peer: '10.0.0.1',
    forwarded: '203.0.113.9:80',
    is: '10.0.0.1',
  },
  {
    why: 'the peer when the rightmost entry is garbage',
    peer: '10.0.0.1',
    forwarded: '203.0.113.9, \u202e',
    is: '10.0.0.1',
  },
  { why: 'the peer when the header is empty', peer: '10.0.0.1', forwarded: '', is: '10.0.0.1' },
  {
    why: 'plain, at an IPv6 socket',
    peer: '::ffff:10.0.0.1',
    forwarded: '::ffff:203.0.113.9',
    is: '203.0.113.9',
  },
  { why: 'IPv6', peer: 'fd00::1', forwarded: '2001:db8::5', is: '2001:db8::5' },
  { why: 'empty when the connection is gone', peer: undefined, forwarded: '203.0.113.9', is: '' },
])('the address of a request is $why', ({ peer, forwarded, is }) => {
  expect(seen(peer, forwarded)).toBe(is)
})

it('believes nobody by default', () => {
  expect(seen('127.0.0.1', '203.0.113.9', NO_PROXY)).toBe('127.0.0.1')
})
