import { describe, expect, it } from 'vitest'
import { readFragment, readPasted } from '../../../../simulator/browser/provision/link.ts'

const KEY = Buffer.alloc(32, 7).toString('base64url')
const OTHER = Buffer.alloc(32, 9).toString('base64url')
const one = { serial: 'SHOP-0001', key: KEY }
const two = { serial: 'SHOP_2', key: OTHER }

describe('the fragment of a link', () => {
  it.each([
    ['', undefined],
    ['#', undefined],
    [`#serial=SHOP-0001&key=${KEY}`, { devices: [one] }],
    [`#key=${KEY}&serial=SHOP-0001&later=1`, { devices: [one] }],
    [`#grid=SHOP-0001:${KEY},SHOP_2:${OTHER}`, { devices: [one, two] }],
    [`#serial=SHOP-0001`, { mistake: 'key', at: 'SHOP-0001' }],
    [`#serial=SHOP-0001&key=${KEY.slice(1)}`, { mistake: 'key', at: 'SHOP-0001' }],
    [`#serial=SHOP-0001&key=${KEY}=`, { mistake: 'key', at: 'SHOP-0001' }],
    [`#serial=a/b&key=${KEY}`, { mistake: 'serial', at: 'a/b' }],
    [`#key=${KEY}`, { mistake: 'serial', at: '' }],
    ['#top', { mistake: 'serial', at: '' }],
    ['#grid=', { mistake: 'serial', at: '' }],
    [`#grid=SHOP-0001:${KEY},SHOP-0001:${KEY}`, { mistake: 'twice', at: 'SHOP-0001' }],
    ['#%E0%A4%A', { mistake: 'serial', at: '' }],
  ])('%s', (hash, reading) => {
    expect(readFragment(hash)).toEqual(reading)
  })

  it('holds at most as many speakers as a page shows', () => {
    const list = (many: number) =>
      `#grid=${Array.from({ length: many }, (_, n) => `SHOP-${n}:${KEY}`).join()}`
    expect(readFragment(list(50))).toMatchObject({ devices: { length: 50 } })
    expect(readFragment(list(51))).toEqual({ mistake: 'many', at: '51' })
  })
})

describe('pasted text', () => {
  it.each([
    ['', { mistake: 'empty', at: '' }],
    [' \n\n', { mistake: 'empty', at: '' }],
    [`  https://hub.example/speaker#serial=SHOP-0001&key=${KEY}\n`, { devices: [one] }],
    [`serial,key,proof\nSHOP-0001,${KEY},abc\r\nSHOP_2,${OTHER}`, { devices: [one, two] }],
    [`http://a/speaker#serial=SHOP-0001&key=${KEY}\nSHOP_2,${OTHER}`, { devices: [one, two] }],
    [`SHOP-0001,${KEY}\nSHOP-0001,${KEY}`, { mistake: 'twice', at: 'SHOP-0001' }],
    ['https://hub.example/speaker', { mistake: 'serial', at: 'https://hub.example/speaker' }],
    ['https://hub.example/speaker#', { mistake: 'serial', at: 'https://hub.example/speaker#' }],
  ])('%j', (text, reading) => {
    expect(readPasted(text)).toEqual(reading)
  })
})
