import { describe, expect, it } from 'vitest'
import { shopConsole } from './shop.ts'

describe('the search', () => {
  it('leads to the one match at once', async () => {
    const { pay, logIn, storage, hub, speaker } = await shopConsole()
    await storage.stores.update(hub, speaker.storeId, { storeName: 'Bánh mì Sài Gòn' }, 1)
    const id = await pay({ ftCode: 'FT77', traceTransfer: 'TR-5', billNumber: 'HD-8', amount: '216000' })
    await pay({ ftCode: 'FT78' })
    const viewer = await logIn('viewer')
    const placeOf = async (q: string) => {
      const answer = await viewer.get(`/search?${new URLSearchParams({ q })}`)
      return answer.status === 302 ? answer.headers.get('location') : answer.status
    }
    expect(await placeOf(speaker.serial)).toBe(`/devices/${speaker.serial}`)
    expect(await placeOf(speaker.serial.toLowerCase())).toBe(`/devices/${speaker.serial}`)
    for (const code of ['FT77', id, 'TR-5', 'HD-8', '216.000', '216.000 đ', '216000'])
      expect([code, await placeOf(code)]).toEqual([code, `/payments/${id}`])
    for (const name of ['T1', 'banh mi', 'Sài'])
      expect([name, await placeOf(name)]).toEqual([name, '/payments?shop=T1&partner=sbc_1'])
    expect(await placeOf('')).toBe(200)
  })

  it('lists several matches, and offers to look through older payments when there is none', async () => {
    const { pay, logIn } = await shopConsole()
    const ids = [
      await pay({ ftCode: 'FT1', traceTransfer: '9' }),
      await pay({ ftCode: 'FT2', traceTransfer: '9' }),
    ]
    const viewer = await logIn('viewer')
    const listed = await (await viewer.get('/search?q=9')).text()
    for (const id of ids) expect(listed).toContain(`/payments/${id}`)
    const none = await (await viewer.get('/search?q=nothing-like-it')).text()
    expect(none).toContain('href="/payments?code=nothing-like-it"')
    expect(none).toContain('Nothing found at once')
  })

  it('is for people who are logged in', async () => {
    const { stranger } = await shopConsole()
    expect((await stranger.get('/search?q=T1')).status).toBe(401)
  })
})
