import { describe, expect, it } from 'vitest'
import { ACCOUNT, csvOf, HOSTILE, NOTICE, rowsOf, shopConsole } from './shop.ts'

describe('the list of payments', () => {
  it('finds by amount, shop, code, stage and time, and its file has the rows of the page', async () => {
    const { pay, logIn, storage, hub, shop, clientId } = await shopConsole()
    const other = await shop.speaker(clientId, 'T2')
    await storage.stores.update(hub, other.storeId, { storeName: 'Phở Gà' }, 1)
    const ids = [
      await pay({ amount: '216000', ftCode: 'FT1', traceTransfer: '11' }),
      await pay({ amount: '50000', ftCode: 'FT2', traceTransfer: '12', billNumber: 'HD-9' }),
      await pay({ amount: '216000', ftCode: 'FT3', traceTransfer: '12', terminalID: 'T2' }),
    ]
    const viewer = await logIn('viewer')
    const found = async (query: string) => {
      const page = await (await viewer.get(`/payments?${query}`)).text()
      const rows = await csvOf(await viewer.get(`/payments?${query}&as=csv`))
      expect(rowsOf(page).map((cells) => cells.at(-1))).toEqual(rows.map(({ id }) => `…${id?.slice(-12)}`))
      return rows.map(({ id }) => ids.indexOf(id ?? ''))
    }
    expect(await found('')).toEqual([2, 1, 0])
    expect(await found('min=216.000&max=216.000')).toEqual([2, 0])
    expect(await found('max=100000')).toEqual([1])
    expect(await found('shop=T2')).toEqual([2])
    expect(await found('shop=pho+ga')).toEqual([2])
    expect(await found('shop=PHO+g')).toEqual([2])
    expect(await found('code=FT2')).toEqual([1])
    expect(await found('code=FT2&min=60000')).toEqual([])
    expect(await found(`code=${ids[0]}`)).toEqual([0])
    expect(await found('code=12')).toEqual([2, 1])
    expect(await found('code=HD-9')).toEqual([1])
    expect(await found('code=none')).toEqual([])
    expect(await found('stage=queued')).toEqual([2, 1, 0])
    expect(await found('stage=played')).toEqual([])
    expect(await found('from=1h')).toEqual([2, 1, 0])
    expect(await found('until=1h')).toEqual([])
  })

  it('lets a person choose when several shops fit', async () => {
    const { logIn, storage, hub, shop, clientId, speaker, pay } = await shopConsole()
    const other = await shop.speaker(clientId, 'T2')
    for (const [storeId, storeName] of [
      [speaker.storeId, 'Phở Bò'],
      [other.storeId, 'Phở Gà'],
    ] as const)
      await storage.stores.update(hub, storeId, { storeName }, 1)
    const id = await pay()
    const viewer = await logIn('viewer')
    const page = await (await viewer.get('/payments?shop=ph%E1%BB%9F')).text()
    expect(page).toContain('Several shops fit')
    const [link = ''] = /\/payments\?shop=T1[^"]*/.exec(page) ?? []
    expect(await (await viewer.get(link.replaceAll('&amp;', '&'))).text()).toContain(id)
  })

  it('walks through more than a page, each row once', async () => {
    const { pay, logIn } = await shopConsole()
    for (let n = 0; n < 120; n += 1) await pay({ ftCode: `FT${n}` })
    const viewer = await logIn('viewer')
    const seen: (string | undefined)[] = []
    let path: string | undefined = '/payments?min=1'
    while (path) {
      const page: string = await (await viewer.get(path)).text()
      seen.push(...rowsOf(page).map((cells) => cells[5]))
      const file = /class="file" href="([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
      expect((await csvOf(await viewer.get(file))).map(({ ftCode }) => ftCode)).toEqual(
        rowsOf(page).map((cells) => cells[5]),
      )
      path = /rel="next" href="([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => `FT${119 - n}`))
  })

  it('says what it can not read, and keeps the form', async () => {
    const { logIn } = await shopConsole()
    const answer = await (await logIn('viewer')).get('/payments?from=gestern&min=abc')
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(page).toContain('value="gestern"')
    expect(page).toContain('This can not be read:')
  })
})

describe('a payment', () => {
  it('shows its facts, stages and events, and hides what is personal from everybody', async () => {
    const { pay, logIn, speaker } = await shopConsole()
    const id = await pay({ ftCode: 'FT1' })
    for (const role of ['viewer', 'operator', 'admin'] as const) {
      const browser = await logIn(role)
      const page = await (await browser.get(`/payments/${id}`)).text()
      expect(page).toContain('50.000 đ')
      expect(page).toContain(speaker.serial)
      expect(page).toContain('payment.recorded')
      expect(page.includes(`action="/payments/${id}/unseal"`)).toBe(role === 'admin')
      const list = await (await browser.get('/payments')).text()
      const file = await (await browser.get('/payments?as=csv')).text()
      for (const text of [page, list, file])
        for (const secret of [NOTICE, ACCOUNT, 'NGUYEN THI HA', '0912345678'])
          expect(text).not.toContain(secret)
    }
  })

  it('is unsealed for an admin alone, on a page that is not stored, with an audit row', async () => {
    const { pay, logIn, noted } = await shopConsole()
    const [id, other] = [await pay({ ftCode: 'FT1' }), await pay({ ftCode: 'FT2', notice: 'another one' })]
    const path = `/payments/${id}/unseal`
    for (const role of ['viewer', 'operator'] as const) {
      const refused = await (await logIn(role)).post(path)
      expect(refused.status).toBe(403)
      expect(await refused.text()).not.toContain(NOTICE)
    }
    expect((await (await logIn('admin')).get(path)).status).toBe(405)
    expect(await noted('payment.unseal')).toEqual([])
    const admin = await logIn('admin', 'lan')
    const answer = await admin.post(path)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const page = await answer.text()
    for (const shown of [NOTICE, ACCOUNT, 'NGUYEN THI HA']) expect(page).toContain(shown)
    expect(page).not.toContain('another one')
    expect(await noted('payment.unseal')).toEqual([
      { actor: 'lan', actorKind: 'operator', subject: id, details: { via: 'console' } },
    ])
    expect((await admin.post('/payments/00000000-0000-7000-8000-000000000000/unseal')).status).toBe(404)
    expect(await noted('payment.unseal')).toHaveLength(1)
    expect(other).not.toBe(id)
  })

  it('that there is not is 404', async () => {
    const { logIn } = await shopConsole()
    const viewer = await logIn('viewer')
    for (const id of ['none', '0193b0a0-0000-7000-8000-000000000000'])
      expect((await viewer.get(`/payments/${id}`)).status).toBe(404)
  })
})

it('hostile texts of partners stay texts', async () => {
  const { pay, logIn, storage, hub, speaker } = await shopConsole()
  await storage.stores.update(hub, speaker.storeId, { storeName: HOSTILE }, 1)
  const id = await pay({ ftCode: HOSTILE, traceTransfer: HOSTILE, billNumber: HOSTILE, notice: HOSTILE })
  const admin = await logIn('admin')
  const query = new URLSearchParams({ q: HOSTILE })
  const pages = [
    await admin.get('/payments'),
    await admin.get(`/payments/${id}`),
    await admin.get(`/payments?${new URLSearchParams({ code: HOSTILE, shop: HOSTILE, from: HOSTILE })}`),
    await admin.get(`/search?${query}`),
    await admin.post(`/payments/${id}/unseal`),
  ]
  for (const page of pages) {
    const text = await page.text()
    expect(text).not.toContain('<script>alert')
    expect(text).not.toContain('<img src=x')
  }
})
