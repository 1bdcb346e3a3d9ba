import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvLine, csvParts } from '../../../../server/platform/lists/csv.ts'
import { createCursors } from '../../../../server/platform/lists/cursors.ts'
import { createSlices } from '../../../../server/platform/lists/slices.ts'
import { isDate, isZone, zoneDay } from '../../../../server/platform/time/zone-day.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'

describe('a cursor', () => {
  const { make, read } = createCursors(createVault(TEST_MASTER_KEY))

  it('gives its place back to its own partner in its own list only', () => {
    const cursor = make('payments', 'sbc_1', ['12', '34'])
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(read('payments', 'sbc_1', cursor)).toEqual(['12', '34'])
    expect(read('devices', 'sbc_1', cursor)).toBeUndefined()
    expect(read('payments', 'sbc_2', cursor)).toBeUndefined()
  })

  it('tells nothing of its place', () => {
    const cursors = [1, 2].map(() => Buffer.from(make('payments', 'sbc_1', ['1234567']), 'base64url'))
    expect(cursors.filter((cursor) => cursor.includes('1234567'))).toEqual([])
    expect(cursors[0]).not.toEqual(cursors[1])
  })

  it('is no other text', () => {
    fc.assert(fc.property(fc.string(), (text) => read('payments', 'sbc_1', text) === undefined))
  })
})

describe('a CSV file', () => {
  it.each([
    [['a', 1], 'a,1\r\n'],
    [['', ''], ',\r\n'],
    [['a,b', 'c"d', 'e\nf', 'g\rh'], '"a,b","c""d","e\nf","g\rh"\r\n'],
    [['=1', '+1', '-1', '@x', '\tx', '\rx'], "'=1,'+1,'-1,'@x,'\tx,\"'\rx\"\r\n"],
    [['\nx', '＝1', '＋1', '－1', '＠x'], "\"'\nx\",'＝1,'＋1,'－1,'＠x\r\n"],
    [[' =1', '"=1', '\t=1'], `' =1,"'""=1",'\t=1\r\n`],
    [['a;=1', 'a\t@b', 'a|+1', 'a; "-1', 'a\n＝1'], `a;'=1,a\t'@b,a|'+1,"a; ""'-1","a\n'＝1"\r\n`],
    [['a;=1;=2|@3'], "a;'=1;'=2|'@3\r\n"],
    [['a=1', 'a-b', '2026-11-20T10:15:30+07:00'], 'a=1,a-b,2026-11-20T10:15:30+07:00\r\n'],
    [['Cà phê ☕', -5], 'Cà phê ☕,-5\r\n'],
  ])('writes %j as %j', (cells, line) => {
    expect(csvLine(cells)).toBe(line)
  })

  it('has a header, its rows, and a last line that counts them', async () => {
    async function* pages() {
      yield [1, 2]
      yield []
      yield [3]
    }
    const parts: string[] = []
    for await (const part of csvParts({ n: (n: number) => n, text: (n) => `#${n}` }, pages()))
      parts.push(part)
    expect(parts.join('')).toBe('n,text\r\n1,#1\r\n2,#2\r\n3,#3\r\n# rows,3\r\n')
  })
})

describe("a zone's day", () => {
  it.each([
    ['2026-11-20', 'Asia/Ho_Chi_Minh', '2026-11-19T17:00:00.000Z', 24],
    ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z', 24],
    ['2026-11-20', 'Pacific/Kiritimati', '2026-11-19T10:00:00.000Z', 24],
    ['2026-11-20', 'Pacific/Niue', '2026-11-20T11:00:00.000Z', 24],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', 23],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', 25],
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z', 23],
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z', 0],
  ])('%s in %s begins at %s and has %i hours', (date, zone, from, hours) => {
    const day = zoneDay(date, zone)
    expect(new Date(day.from).toISOString()).toBe(from)
    expect((day.until - day.from) / 3_600_000).toBe(hours)
  })

  it('knows zones and dates', () => {
    for (const zone of ['Asia/Ho_Chi_Minh', 'UTC', 'Etc/GMT+7', 'America/Argentina/Buenos_Aires'])
      expect([zone, isZone(zone)]).toEqual([zone, true])
    for (const zone of ['', '+07:00', 'Asia/Nowhere', 'Asia/', '../UTC', 'Z'.repeat(300)])
      expect([zone, isZone(zone)]).toEqual([zone, false])
    for (const date of ['2026-02-28', '2024-02-29', '0001-01-01']) expect(isDate(date)).toBe(true)
    for (const date of ['2026-02-29', '2026-13-01', '2026-1-1', '20260101', '2026-01-01T00:00:00Z'])
      expect([date, isDate(date)]).toEqual([date, false])
  })
})

describe('slices', () => {
  it('go one in a turn of the event loop, and from their owners in turn', async () => {
    const slices = createSlices()
    const order: string[] = []
    let running = 0
    const work = async (owner: string) => {
      for (let n = 0; n < 3; n += 1)
        await slices.run(owner, async () => {
          running += 1
          expect(running).toBe(1)
          order.push(owner)
          await Promise.resolve()
          running -= 1
        })
    }
    let turns = 0
    let isOver = false
    const count = () => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    count()
    // Many of one owner, and one of another.
    await Promise.all([...Array.from({ length: 10 }, () => work('many')), work('one')])
    isOver = true
    expect(turns).toBeGreaterThan(order.length)
    expect(order.filter((owner) => owner === 'one')).toHaveLength(3)
    expect(order.lastIndexOf('one')).toBeLessThan(8)
  })

  it('go on after one that fails', async () => {
    const slices = createSlices()
    await expect(slices.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await slices.run('a', async () => 1)).toBe(1)
  })
})
