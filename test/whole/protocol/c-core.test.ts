import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtCCore, type CCore, missingForCore } from '../../protocol/c/build.ts'
import { testCore } from './c/core.ts'

const missing = missingForCore()
if (missing !== undefined) process.stderr.write(`The core in C is not tested: ${missing}.\n`)

describe.skipIf(missing !== undefined)('the core in C', () => {
  let c: CCore
  beforeAll(async () => {
    c = await builtCCore()
  })

  testCore((cases) => c.run(cases))

  describe('its store in flash', () => {
    let printed: Record<string, unknown>[]
    beforeAll(() => {
      const { status, stdout, stderr } = spawnSync(c.powerCuts, { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
      const lines = stdout.trim().split('\n')
      printed = lines.map((line) => Object(JSON.parse(line)))
    })

    it('sb/1 12.3: reads the old or the new record after a power cut at every step, on every kind of flash', () => {
      const flashes = printed.filter(({ flash }) => flash !== undefined)
      expect(new Set(flashes.map(({ unitBytes }) => unitBytes))).toEqual(new Set([1, 2, 4, 8, 16, 32]))
      expect(flashes.map(({ wrong }) => wrong)).toEqual(Array(13).fill(0))
      for (const { cuts, old, new: newer } of flashes) expect(Number(old) + Number(newer)).toBe(cuts)
      // The cuts reach both outcomes, and most lives have an erase.
      expect(flashes.filter((one) => Number(one.new) > 50)).toHaveLength(10)
      expect(flashes.filter(({ erases }) => erases !== 0)).toHaveLength(12)
    })

    it('skips a page that fails, keeps the last value when the flash is worn out, and counts the erases', () => {
      const worn = (name: string) => printed.find(({ wornOut }) => wornOut === name)
      const erases = Number(worn('nothing')?.erases)
      for (const name of ['nothing', 'erase of one page', 'one page', 'one page, unreported']) {
        const counted = Number(worn(name)?.erases)
        expect(worn(name)).toMatchObject({ state: 'read', isLast: true, written: 1_000 })
        expect(worn(name)?.wear).toBe(Math.ceil(counted / 3))
        if (name.startsWith('one page')) expect(counted).toBeGreaterThan(1.4 * erases)
        else expect(counted).toBe(erases)
      }
      expect(worn('erase of both pages')).toMatchObject({ state: 'read', isLast: true })
      expect(worn('all')).toMatchObject({ state: 'read', isLast: true, written: 0 })
    })

    it('sb/1 12.4, sb/1 12.5: starts as new after any number of cut first starts, but not if a record is lost', () => {
      expect(printed.slice(-2)).toEqual([
        { firstStartsCut: 20, start: 'blank' },
        {
          ...{ blank: 'blank', written: 'read', bitsFlipped: 'damaged', zeros: 'damaged' },
          ...{ unreadable: 'damaged', firstUnreadable: 'damaged', notWritable: 'broken', noFlash: 'broken' },
        },
      ])
    })
  })
})
