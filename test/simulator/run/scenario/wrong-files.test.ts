import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findScenarios } from '../../../../simulator/run/scenario/file/find.ts'
import { loadScenario } from '../../../../simulator/run/scenario/file/load.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { complaintOf } from './mistakes.ts'

/** What is wrong with a file of these bytes, with `x.yaml` for its path. */
function wrongWith(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'x.yaml')
  writeFileSync(path, content)
  return complaintOf(() => loadScenario(path)).replaceAll(path, 'x.yaml')
}

/** Each level is a list of ten aliases of the level before. */
const LAUGHS = Array.from({ length: 12 }, (_, level) =>
  level === 0
    ? 'a0: &a0 [x]'
    : `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]`,
).join('\n')

describe('a wrong file is refused with its line, and never with a stack', () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ['empty', '', /^x\.yaml:1: the file is empty: a scenario has about, speaker, speakers, /],
    ['only a comment', '# nothing\n', /^x\.yaml:1: the file is empty/],
    ['a list', '- wait: 1s\n', /^x\.yaml:1: a scenario has about, /],
    ['a word', 'hello\n', /^x\.yaml:1: a scenario has about, /],
    ['tabs', 'about: a\nsteps:\n\t- wait: 1s\n', /^x\.yaml:3: .*[Tt]ab/],
    ['a key twice', 'about: a\nabout: b\nsteps:\n  - wait: 1s\n', /^x\.yaml:2: Map keys must be unique/],
    [
      'a key twice in a step',
      'about: a\nsteps:\n  - wait: 1s\n    wait: 2s\n',
      /^x\.yaml:4: Map keys must be unique/,
    ],
    [
      'a variable without quotes',
      'about: a\nsteps:\n  - expect: { event: announce, amount: ${a.b} }\n',
      /^x\.yaml:3: .* \(inside \{ \} and \[ \], a variable stands in quotes: "\$\{amount\}"\)$/,
    ],
    ['two documents', 'about: a\n---\nabout: b\n', /^x\.yaml:2: .*document/],
    ['aliases of aliases', `about: a\n${LAUGHS}\n`, /^x\.yaml:3: there are too many aliases/],
    ['an alias of nothing', 'about: *nobody\n', /^x\.yaml:1: .*nobody/],
    ['an endless alias', 'about: &a [*a]\n', /^x\.yaml:1: .*an alias \(\*\) contains itself/],
    [
      'very deep',
      `about: ${'['.repeat(5_000)}${']'.repeat(5_000)}\n`,
      /^x\.yaml:1: the values are nested too deeply/,
    ],
    ['very deep blocks', `about: a\n${'- '.repeat(20_000)}x\n`, /^x\.yaml:\d+: /],
    [
      'a picture',
      Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]),
      /^x\.yaml:3: this is not text: there is a byte 0$/,
    ],
    ['Latin-1', Buffer.from('about: a\n# caf\xe9\n', 'latin1'), /^x\.yaml:2: this is not text in UTF-8$/],
    ['UTF-16', Buffer.from('\ufeffabout: a\n', 'utf16le'), /^x\.yaml:1: this is not text/],
    ['too large', '#'.repeat(2 * 1024 * 1024), /^x\.yaml: the file is larger than 1 MiB/],
    [
      'a tag of another program',
      'about: !!js/function "x"\nsteps: 5\n',
      /^x\.yaml:2: steps: must be a list$/,
    ],
  ])('%s', (_, content, message) => {
    const complaint = wrongWith(content)
    expect(complaint).toMatch(message)
    expect(complaint).not.toMatch(/\n +at /)
  })

  it('a byte order mark is no mistake', () => {
    const path = join(temporaryFolder(), 'x.yaml')
    writeFileSync(path, '\ufeffabout: a\nsteps:\n  - wait: 1s\n')
    expect(loadScenario(path).about).toBe('a')
  })

  it('a name that is misspelt is told the file beside it', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'muted.yaml'), '')
    const path = join(folder, 'mutde.yaml')
    expect(complaintOf(() => loadScenario(path))).toBe(
      `${path}: it can't be read: there is no such file; did you mean "${join(folder, 'muted.yaml')}"?`,
    )
  })

  it('a link to itself', () => {
    const path = join(temporaryFolder(), 'x.yaml')
    symlinkSync(path, path)
    expect(complaintOf(() => loadScenario(path))).toMatch(/x\.yaml: it can't be read: ELOOP/)
  })
})

describe('the files of a folder', () => {
  it('are all below it, in order, without hidden folders and packages', () => {
    const folder = temporaryFolder()
    for (const path of ['b.yaml', 'a.yml', 'notes.md', 'sub/c.yaml', '.git/d.yaml', 'node_modules/e.yaml']) {
      mkdirSync(join(folder, path, '..'), { recursive: true })
      writeFileSync(join(folder, path), '')
    }
    expect(findScenarios(folder).map((file) => file.slice(folder.length + 1))).toEqual([
      'a.yml',
      'b.yaml',
      'sub/c.yaml',
    ])
  })

  it('may not be none', () => {
    const folder = temporaryFolder()
    expect(complaintOf(() => findScenarios(folder))).toBe(
      `${folder}: there is no scenario (*.yaml, *.yml) in this folder`,
    )
  })
})
