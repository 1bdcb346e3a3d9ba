import { renderToString } from 'ink'
import { describe, expect, it } from 'vitest'
import { View } from '../../../simulator/screen/view.tsx'
import type { ViewModel } from '../../../simulator/screen/view-model.ts'
import { modelOf, SIZES, STATIC_QR } from './model.ts'

function frameOf(model: ViewModel): string {
  return renderToString(<View model={model} />, { columns: model.columns })
}

describe('the state of the link', () => {
  it.each([
    [{ link: 'welcomed' as const }, ['● online']],
    [{ link: 'connecting' as const }, ['◌ joining', 'connecting to the hub']],
    [{ link: 'born' as const }, ['◌ joining', 'the hub has not said welcome yet']],
    [
      { link: 'offline' as const, retryInMs: 4_200, offlineReason: 'nothing answers' },
      ['✕ offline', 'nothing answers', 'next try in 5 s'],
    ],
    [{ link: 'offline' as const, retryInMs: 900_000 }, ['✕ offline', 'next try in 15 min']],
    [
      { link: 'offline' as const, offlineReason: 'the network is cut' },
      ['✕ offline', 'the network is cut', 'x plugs it in'],
    ],
    [{ linked: false }, ['○ no shop']],
    [{ shop: '' }, ['● shop']],
    [{ link: 'offline' as const, signal: -113 }, ['···· [']],
  ])('%o is shown as %s', (speaker, texts) => {
    const frame = frameOf(modelOf(SIZES[0], { screen: 'connecting' }, { speaker }))
    for (const text of texts) expect(frame).toContain(text)
  })

  it('is prominent on the shop’s display: payments are not being spoken', () => {
    const display = { screen: 'idle', name: 'Phở Bà Hạnh', qr: '' } as const
    const frame = frameOf(modelOf(SIZES[0], display, { speaker: { link: 'offline' } }))
    expect(frame).toContain('✕ MẤT KẾT NỐI · Loa không đọc được tiền đến')
  })

  it.each(['connecting', 'born'] as const)('is the same on the display and in the light: %s', (link) => {
    const display = { screen: 'idle', name: 'Phở Bà Hạnh', qr: '' } as const
    const frame = frameOf(modelOf(SIZES[0], display, { speaker: { link } }))
    expect(frame).toContain('◌ Đang kết nối… · Loa không đọc được tiền đến')
    expect(frame).toContain('◌ joining')
  })

  it('is complete beside a QR with little room', () => {
    const display = { screen: 'idle', name: 'Phở Bà Hạnh', qr: STATIC_QR } as const
    const offlineReason = 'nothing answers at mqtt://127.0.0.1:1883'
    const speaker = { link: 'offline', retryInMs: 12_000, offlineReason } as const
    const frame = frameOf(modelOf(SIZES[1], display, { speaker }))
    expect(frame).toContain('✕ MẤT KẾT NỐI · Loa không đọc ')
    expect(frame).toMatch(/nothing a.*… · next try in 12 s/)
  })

  it.each([
    [11_200, 'Next try in 12 s'],
    [962_000, 'Next try in 17 min'],
  ])('a speaker without network shows its next attempt: %i ms', (retryInMs, words) => {
    const settings = { ver: 1, volume: 80, lang: 'en' } as const
    const speaker = { link: 'offline', retryInMs, settings } as const
    const frame = frameOf(modelOf(SIZES[1], { screen: 'no_network', reason: 'x' }, { speaker }))
    expect(frame).toContain(words)
  })
})
