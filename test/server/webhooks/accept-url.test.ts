import { expect, it } from 'vitest'
import { createUrlCheck } from '../../../server/webhooks/accept-url.ts'

it('checks at most 4 addresses of a partner at a time, without a place among the requests', async () => {
  const answers: (() => void)[] = []
  const resolve = () => new Promise<string[]>((found) => answers.push(() => found(['93.184.215.14'])))
  const accept = createUrlCheck({ resolve, allow: () => false })
  let held = 0
  const check = (clientId: string) => accept(clientId, 'https://shop.example/', () => (held += 1))
  const first = Array.from({ length: 4 }, () => check('sbc_1'))
  expect(held).toBe(4)
  await expect(check('sbc_1')).rejects.toMatchObject({ kind: 'RATE_LIMITED', retryAfterS: 1 })
  const other = check('sbc_2')
  expect([held, answers.length]).toEqual([5, 5])
  for (const answer of answers.splice(0)) answer()
  expect(await Promise.all([...first, other])).toEqual(Array(5).fill('https://shop.example/'))
  const next = check('sbc_1')
  answers[0]?.()
  expect(await next).toBe('https://shop.example/')
})
