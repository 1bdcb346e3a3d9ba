import { describe, expect, it } from 'vitest'
import { createStage, failed, inTurn, refusal } from './stage.ts'

const page = (ids: string[], next: string | null) => () =>
  Response.json({ data: ids.map((id) => ({ id, seq: id })), next })

async function all(rows: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of rows) ids.push(id)
  return ids
}

describe('a list', () => {
  it('is gone through page after page, with the same filters', async () => {
    const { hub, requests } = createStage(inTurn(page(['a', 'b'], 'c+1'), page([], 'c2'), page(['c'], null)))
    expect(await all(hub.payments({ storeId: 's-1', minAmount: '5' }))).toEqual(['a', 'b', 'c'])
    const filters = '/payment/transactions?storeId=s-1&minAmount=5'
    expect(requests.map(({ path }) => path)).toEqual([
      filters,
      `${filters}&cursor=c%2B1`,
      `${filters}&cursor=c2`,
    ])
  })

  it('goes on from a cursor, and reads no page that nobody asks for', async () => {
    const { hub, requests } = createStage(page(['a', 'b'], 'next'))
    for await (const device of hub.devices({ cursor: 'here', connected: true, active: false })) {
      expect(device.id).toBe('a')
      break
    }
    expect(requests.map(({ path }) => path)).toEqual(['/device?cursor=here&connected=true&active=false'])
  })

  it.each([
    ['stores', '/store', (hub: ReturnType<typeof createStage>['hub']) => hub.stores()],
    ['dayByStore', '/payment/summary', (hub: ReturnType<typeof createStage>['hub']) => hub.dayByStore()],
    [
      'deliveries',
      '/webhook/w/deliveries',
      (hub: ReturnType<typeof createStage>['hub']) => hub.deliveries('w'),
    ],
  ])('of %s is gone through as well', async (_, path, rows) => {
    const { hub, requests } = createStage(inTurn(page(['a'], 'n'), page(['b'], null)))
    let count = 0
    for await (const _row of rows(hub)) count += 1
    expect(count).toBe(2)
    expect(requests.map((sent) => sent.path)).toEqual([path, `${path}?cursor=n`])
  })
})

describe('events', () => {
  it('go on behind the last one, over failures that outlast every time limit', async () => {
    const down = Array.from({ length: 20 }, () => failed)
    const { hub, requests } = createStage(inTurn(page(['1', '2'], '2'), ...down, page(['3'], '3')))
    const seen: string[] = []
    for await (const { id } of hub.events({ after: '0', types: ['bill.paid', 'payment.recorded'] })) {
      seen.push(id)
      if (seen.length === 3) break
    }
    expect(seen).toEqual(['1', '2', '3'])
    const types = 'types=bill.paid%2Cpayment.recorded'
    expect(requests[0]?.path).toBe(`/event?limit=100&wait=30&${types}&after=0`)
    expect(requests.at(-1)?.path).toBe(`/event?limit=100&wait=30&${types}&after=2`)
  })

  it('end at the newest when they do not follow, also behind pages of other types', async () => {
    const pages = inTurn(page([], '100'), page(['101'], '101'), page([], '101'))
    const { hub, requests, slept } = createStage(pages)
    expect(await all(hub.events({ follow: false }))).toEqual(['101'])
    expect(slept).toEqual([])
    expect(requests.map(({ path }) => path)).toEqual([
      '/event?limit=100&wait=0',
      '/event?limit=100&wait=0&after=100',
      '/event?limit=100&wait=0&after=101',
    ])
  })

  it('are not asked for without a pause when the hub lets nobody wait', async () => {
    const pages = inTurn(page(['4'], '4'), page(['5'], '5'), page([], '5'), page([], '5'), page(['6'], '6'))
    const { hub, slept } = createStage(pages)
    for await (const { id } of hub.events({ after: '3' })) if (id === '6') break
    expect(slept).toEqual([1_000, 1_000])
  })

  it('may take 30 seconds longer than another answer', async () => {
    const { hub, slept } = createStage(
      inTurn(() => undefined, page(['6'], '6')),
      { attemptLimitMs: 10_000 },
    )
    for await (const _ of hub.events({ after: '5' })) break
    expect(slept).toEqual([40_000, 200])
  })

  it('end with the signal, while they wait', async () => {
    const controller = new AbortController()
    const { hub } = createStage(() => {
      controller.abort(new Error('the shop is closed'))
      return undefined
    })
    await expect(all(hub.events({ signal: controller.signal }))).rejects.toThrow('the shop is closed')
  })

  it('that were deleted are an error', async () => {
    const { hub } = createStage(() => refusal(41000))
    await expect(all(hub.events({ after: '1' }))).rejects.toMatchObject({ code: 41000 })
  })
})

describe('a CSV file', () => {
  const file = (text: string) => () => new Response(text, { headers: { 'Content-Type': 'text/csv' } })

  it('is whole: one that ended too early is asked for again', async () => {
    const whole = 'id,amount\r\n1,500\r\n# rows,1\r\n'
    const { hub, requests } = createStage(inTurn(file('id,amount\r\n1,5'), file(''), file(whole)))
    expect(await hub.searchPaymentsCsv({ storeId: 's-1' })).toBe(whole)
    expect(requests).toHaveLength(3)
    expect(requests[0]?.headers.get('Accept')).toBe('text/csv')
  })

  it('of a day is one, too', async () => {
    const { hub, requests } = createStage(file('storeId\r\n# rows,0\r\n'))
    expect(await hub.summarizeDayCsv({ date: '2026-11-20' })).toContain('# rows,0')
    expect(requests[0]?.path).toBe('/payment/summary?date=2026-11-20')
  })
})
