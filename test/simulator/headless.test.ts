import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createFeed } from '../../simulator/feed.ts'
import { runHeadless } from '../../simulator/headless.ts'

describe('headless mode', () => {
  it('prints each happening as one line of JSON, and no packets', () => {
    const feed = createFeed()
    let printed = ''
    const end = runHeadless(feed, (line) => {
      printed += line
    })
    feed.publish({ atMs: 0, kind: 'happening', happening: { event: 'code', code: '048213', exp: 60 } })
    feed.publish({ atMs: 0, kind: 'packet', note: { direction: 'in', packet: 'connack' } })
    feed.publish({ atMs: 0, kind: 'happening', happening: { event: 'played', n: 1 } })
    end()
    feed.publish({ atMs: 0, kind: 'happening', happening: { event: 'played', n: 2 } })
    expect(printed).toBe('{"event":"code","code":"048213","exp":60}\n{"event":"played","n":1}\n')
  })

  it('has every event in the README’s table', () => {
    const read = (path: string) => readFileSync(new URL(`../../simulator/${path}`, import.meta.url), 'utf8')
    const declared = [...read('device/happenings.ts').matchAll(/event: '([a-z]+)'/g)].map((match) => match[1])
    const documented = [...read('README.md').matchAll(/^\| `([a-z]+)` \|/gm)].map((match) => match[1])
    expect(declared.length).toBeGreaterThan(10)
    expect(documented).toEqual(expect.arrayContaining(declared))
  })
})
