import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../../support/random.ts'
import { createDisk } from './disk.ts'
import type { Act, Files } from './record.ts'

const MANY = 2_000
const BEFORE: Files = new Map([['hub.db', Buffer.from('....')]])
const [DB, LOG] = [0, 1]

let place = 0
function at<T extends object>(act: T) {
  place += 1
  return { ...act, from: place, until: place }
}
const write = (file: number, offset: number, text: string): Act =>
  at({ kind: 'write', file, offset, bytes: Buffer.from(text) } as const)
const flush = (file: number | undefined): Act => at({ kind: 'flush', file } as const)
const named = (name: string, file: number | undefined): Act =>
  at({ kind: 'names', names: [[name, file]] as [string, number | undefined][] } as const)

/** All that the crashes behind these acts leave of a file. */
function left(acts: readonly Act[], name = 'hub.db'): Set<string> {
  const disk = createDisk(BEFORE)
  for (const act of acts) disk.act(act)
  const random = randomFrom(1)
  return new Set(Array.from({ length: MANY }, () => disk.crash(random).get(name)?.toString() ?? 'none'))
}

describe('a disk without power', () => {
  it('keeps what was flushed, and each later write or not', () => {
    const acts = [write(DB, 0, 'a'), flush(DB), write(DB, 1, 'b'), write(DB, 2, 'c')]
    expect(left(acts)).toEqual(new Set(['a...', 'ab..', 'a.c.', 'abc.']))
  })

  it('is flushed file by file, and only of what had returned before', () => {
    const late = { ...write(DB, 0, 'a'), until: 1_000_000 }
    expect(left([late, flush(DB)])).toEqual(new Set(['....', 'a...']))
    expect(left([write(DB, 0, 'a'), flush(LOG)])).toEqual(new Set(['....', 'a...']))
  })

  it('may take writes to one place in another order', () => {
    expect(left([write(DB, 0, 'a'), write(DB, 0, 'b')])).toEqual(new Set(['....', 'a...', 'b...']))
    expect(left([write(DB, 0, 'aa'), write(DB, 1, 'b')])).toContain('aa..')
  })

  it('tears a write at its sectors, and nowhere else', () => {
    const [one, two] = ['a'.repeat(512), 'b'.repeat(512)]
    const start = '0'.repeat(1024)
    const acts = [write(DB, 0, start), flush(DB), write(DB, 0, one + two)]
    expect(left(acts)).toEqual(new Set([start, one + '0'.repeat(512), '0'.repeat(512) + two, one + two]))
  })

  it('does not bring back what was cut off', () => {
    const cut: Act = at({ kind: 'truncate', file: DB, length: 0 } as const)
    expect(left([cut])).toEqual(new Set(['....', '']))
    const both = left([write(DB, 0, 'old!'), cut, write(DB, 0, 'n')])
    expect(both).toContain('n')
    expect(both).not.toContain('nld')
  })

  it('fills a gap with zeros', () => {
    expect(left([write(DB, 5, 'x')])).toEqual(new Set(['....', '....\0x']))
  })

  it('may lack a file whose name was not flushed, with all that it holds', () => {
    const made = [named('log', LOG), write(LOG, 0, 'x'), flush(LOG)]
    expect(left(made, 'log')).toEqual(new Set(['none', 'x']))
    expect(left([...made, flush(undefined)], 'log')).toEqual(new Set(['x']))
    const gone = [...made, flush(undefined), named('log', undefined)]
    expect(left(gone, 'log')).toEqual(new Set(['none', 'x']))
  })

  it('has everything while the power is on', () => {
    const disk = createDisk(BEFORE)
    for (const act of [write(DB, 1, 'b'), named('log', LOG), write(LOG, 0, 'x')]) disk.act(act)
    expect([...disk.whole()].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ['hub.db', '.b..'],
      ['log', 'x'],
    ])
  })
})
