import { expect, it, vi } from 'vitest'
import { MEASURED } from '../../../server/operate/measured.ts'
import { benchRates } from '../../bench/rates/rates.ts'
import { findPostgres } from '../../support/processes/postgres.ts'

const TINY = {
  ...{ shops: 6, warmUp: 10, idleSeconds: 1, saturated: 20, rounds: 1 },
  ...{ speakers: 20, packetsEach: 20, told: { perSecond: 20, seconds: 1 } },
  several: [{ perSecond: 20, seconds: 1 }],
  one: [{ perSecond: 20, seconds: 1 }],
  sqlite: [{ perSecond: 20, seconds: 1 }],
}
const isInstalled = (await findPostgres()) !== undefined

it.runIf(isInstalled)('measures and prints the constants of hub size', async () => {
  let said = ''
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text
    return true
  })
  expect(await benchRates(TINY).finally(() => write.mockRestore())).toEqual([])
  expect(said).toMatch(/^export const MEASURED = \{\n[^}]/)
  expect(said).not.toContain('NaN')
  const names = (text: string) => [...new Set(text.match(/\w+(?=: )/g))].sort()
  const json = JSON.stringify(MEASURED).replaceAll(/"(\w+)":/g, '$1: ')
  expect(names(said)).toEqual(names(json))
  const rates = [...said.matchAll(/\{ hubs: (\d), perSecond: ([\d.]+), hubMs: ([\d.]+)/g)].map((match) =>
    match.slice(1).map(Number),
  )
  expect(rates.map(([hubs]) => hubs)).toEqual([3, 3, 3, 1, 1, 1])
  expect(rates.map(([, perSecond]) => perSecond)).toEqual([
    0,
    20,
    expect.any(Number),
    0,
    20,
    expect.any(Number),
  ])
  for (const [, , hubMs] of rates.filter(([, perSecond]) => perSecond === 20))
    expect(hubMs).toBeGreaterThan(0)
})
