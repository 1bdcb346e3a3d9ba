import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allPages, brokenLinks, parsePage, ROOT } from '../support/docs/markdown.ts'

const pages = allPages()
/** A file or folder of this repository, named in a page. */
const OUR_PATH = /^(protocol|server|simulator|test|docs)\/[\w./-]+$/

describe('the pages of the repository', () => {
  it.each(pages)('link only to what there is: $path', (page) => {
    expect(brokenLinks(page)).toEqual([])
  })

  it.each(pages)('name only files that there are: $path', ({ spans }) => {
    const named = spans.filter((span) => OUR_PATH.test(span))
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  it('are found: README, docs and those beside the code', () => {
    const paths = pages.map(({ path }) => path)
    for (const path of ['README.md', 'docs/architecture.md', 'protocol/README.md', 'simulator/README.md'])
      expect(paths).toContain(path)
    expect(paths.filter((path) => path.includes('node_modules'))).toEqual([])
  })
})

describe('a link', () => {
  const page = (text: string) => parsePage('docs/page.md', text)

  it.each([
    { text: '[a](../README.md)' },
    { text: '[a](../protocol/README.md#14-limits)' },
    { text: '# One & two\n[a](#one--two)' },
    { text: '# Twice\n# Twice\n[a](#twice-1)' },
    { text: '```\n[a](nowhere.md)\n```' },
    { text: 'the form `[a](b)` of a link' },
    { text: '[a](https://example.com/)' },
  ])('is good in: $text', ({ text }) => {
    expect(brokenLinks(page(text))).toEqual([])
  })

  it.each([
    { text: '[a](nowhere.md)', why: 'no file' },
    { text: '![a](nowhere.svg)', why: 'no file' },
    { text: '[a](../protocol/README.md#no-such-heading)', why: 'no heading' },
    { text: '# One\n[a](#two)', why: 'no heading' },
    { text: '[a](../../elsewhere.md)', why: 'out of the repository' },
  ])('is broken in: $text', ({ text, why }) => {
    expect(brokenLinks(page(text))).toEqual([expect.stringContaining(why)])
  })
})
