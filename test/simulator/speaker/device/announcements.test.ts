import { describe, expect, it } from 'vitest'
import { acksIn, DeviceBench } from '../../support/device-bench.ts'

describe('an announcement', () => {
  it('takes the duration of its clips', () => {
    const bench = new DeviceBench({ msPerClip: 100 })
    bench.connect()
    bench.send('announce', { amount: '1', currency: 'VND', lang: 'vi', clips: clipsOf(3) })
    expect(acksIn(bench.wind(299))).toEqual([])
    expect(acksIn(bench.wind(1))).toMatchObject([{ st: 'played' }])
  })

  it('takes the duration of each clip of its pack, and shows the spoken part', () => {
    const clipLengths = { vi: { 'da-nhan': 400, '5': 200, muoi: 300 } }
    const bench = new DeviceBench({ msPerClip: 100, clipLengths })
    bench.connect()
    const sentenceMs = 400 + 200 + 300 + 100 + 100
    bench.announce('50000')
    expect(bench.said).toBe('Đã nhận')
    bench.wind(399)
    expect(bench.said).toBe('Đã nhận')
    bench.wind(1)
    expect(bench.said).toBe('Đã nhận năm')
    bench.wind(599)
    expect(bench.said).toBe('Đã nhận năm mươi nghìn')
    expect(acksIn(bench.wind(sentenceMs - 1_000))).toEqual([])
    expect(bench.said).toBe('Đã nhận năm mươi nghìn đồng')
    expect(acksIn(bench.wind(1))).toMatchObject([{ st: 'played' }])
  })

  it('takes the duration of its chime too, and shows the first clip from its beginning', () => {
    const bench = new DeviceBench({ chimeMs: 450, msPerClip: 100 })
    bench.connect()
    bench.announce('50000')
    expect(bench.said).toBe('Đã nhận')
    bench.wind(450 + 99)
    expect(bench.said).toBe('Đã nhận')
    bench.wind(1)
    expect(bench.said).toBe('Đã nhận năm')
    expect(acksIn(bench.wind(399))).toEqual([])
    expect(acksIn(bench.wind(1))).toMatchObject([{ st: 'played' }])
  })
})

function clipsOf(count: number): string {
  return Array.from({ length: count }, () => 'nghin').join(' ')
}
