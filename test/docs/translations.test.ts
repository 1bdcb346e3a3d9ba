import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { differences } from '../support/docs/translations.ts'

/** The Vietnamese pages; each has its English one beside it. */
const PAGES = globSync('docs/*.vi.md').sort()
const read = (path: string) => readFileSync(path, 'utf8')

it.each(PAGES)('%s says what its English page says, and leaves nothing in English', (path) => {
  expect(differences(read(path.replace('.vi.md', '.md')), read(path))).toEqual([])
})

it.each(PAGES)('%s and its English page link to each other', (path) => {
  const name = path.replace('docs/', '')
  const english = name.replace('.vi.md', '.md')
  expect(read(`docs/${english}`)).toContain(`\n**English** · [Tiếng Việt](${name})\n`)
  expect(read(path)).toContain(`\n[English](${english}) · **Tiếng Việt**\n`)
})

it('the page of the phone is translated', () => {
  expect(PAGES).toContain('docs/phone.vi.md')
})

// test/server/site/languages.test.ts shows which sentences count as English.
describe('what was forgotten is found:', () => {
  const english =
    '# One\nIt says `a` in 5 s.\n\n- See [below](#two).\n- The rest of it\n\n## Two\nIt is so.\n'
  const good =
    '# Một\nNó ghi `a` trong 5 s.\n\n- Xem [bên dưới](#hai).\n- Phần còn lại\n\n## Hai\nLà như vậy.\n'

  it('nothing in a good translation', () => {
    expect(differences(english, good)).toEqual([])
  })

  it.each([
    { what: 'a sentence in English', from: 'Là như vậy.', to: 'It is so.' },
    { what: 'a heading in English', from: '## Hai', to: '## Two' },
    { what: 'a missing entry', from: '- Phần còn lại\n', to: '' },
    { what: 'a missing paragraph', from: 'Là như vậy.\n', to: '' },
    { what: 'another number', from: '5 s', to: '6 s' },
    { what: 'other code', from: '`a`', to: '`b`' },
    { what: 'a link to another place', from: '#hai', to: '#một' },
  ])('$what', ({ from, to }) => {
    expect(differences(english, good.replace(from, to))).not.toEqual([])
  })
})
