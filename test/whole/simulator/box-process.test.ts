import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { serve } from '../../simulator/boxes/broker.ts'
import { start } from '../../support/processes/process.ts'

const MAIN = fileURLToPath(new URL('../../../simulator/main.ts', import.meta.url))

it('a box without a screen prints what the shop hears, obeys its control lines, and ends with 0', async () => {
  const { url, say } = await serve()
  const args = ['--dialect', 'hemipay', '--serial', 'BOX-0001', '--box-url', url, '--control']
  const { child, ended } = start(process.execPath, ['--import', 'tsx', MAIN, ...args])
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? '{}')
  expect(await next()).toEqual({ event: 'connected' })
  const content = { play_payment_amount: 50_000 }
  await say('/LLZN/BOX-0001', { message_id: '1000000001', packet_type: 'payment', content })
  expect(await next()).toEqual({
    ...{ event: 'announce', n: 1, amount: '50000', currency: 'VND', lang: 'vi', id: '1000000001' },
    text: 'Đã nhận năm mươi nghìn đồng',
  })
  expect(await next()).toEqual({ event: 'played', n: 1 })
  child.stdin.write('keys 25\nkey 000\nkey enter\nsing\nquit\n')
  expect(await next()).toMatchObject({ event: 'keyed', amount: '25000' })
  expect(await next()).toMatchObject({ event: 'error' })
  expect((await ended).code).toBe(0)
})
