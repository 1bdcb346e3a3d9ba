import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { guidePages, ROOT, readPage } from '../support/docs/markdown.ts'
import { NOT_RUN, RUN_INSTEAD, reasonNotToRun } from '../support/docs/not-run.ts'

const pages = guidePages()
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const scripts = Object.keys(JSON.parse(read('package.json')).scripts)
const blocks = pages.flatMap(({ fences }) => fences.filter(({ language }) => language === 'sh'))
const script = blocks.map(({ code }) => code).join('\n')
const COMMAND = /^(npm|npx|git|curl|node|make) /

/** Rows of the table below a heading, as the texts of their cells. */
function tableBelow(page: string, heading: string): string[][] {
  const [, below = ''] = read(page).split(`\n${heading}\n`)
  const rows = (below.split(/\n#/)[0] ?? '').split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

describe('no command of README and docs escapes the tests', () => {
  it.each(pages)('each block of $path says what it is', ({ path, fences }) => {
    for (const { language, code, line } of fences) {
      // SQL is run by test/whole/server/storage/postgres/strangers.test.ts.
      expect(['sh', 'text', 'json', 'sql'], `${path}:${line}`).toContain(language)
      if (language !== 'sh') expect(code, `${path}:${line}`).not.toMatch(/^ *(npm|npx|git|curl|node|make) /m)
    }
  })

  const commands = pages.flatMap(({ path, spans }) =>
    [...new Set(spans)].filter((span) => COMMAND.test(span)).map((command) => ({ path, command })),
  )
  it.each(commands)('$path: $command is run, or has a reason not to be', ({ command }) => {
    const isRun = script.includes(command) || command.endsWith('--help')
    const isRunShorter = RUN_INSTEAD.some(({ said }) => said.test(command))
    expect(isRun || isRunShorter || reasonNotToRun(command) !== undefined).toBe(true)
  })

  it.each([...Object.keys(NOT_RUN), ...RUN_INSTEAD.map(({ said }) => String(said))])(
    'the exception %s is needed',
    (exception) => {
      const said = [...commands.map(({ command }) => command), ...script.split(/&&|\n/)].map((one) =>
        one.trim(),
      )
      const isNeeded = (command: string) =>
        command.startsWith(exception) ||
        RUN_INSTEAD.some((one) => String(one.said) === exception && one.said.test(command))
      expect(said.some(isNeeded)).toBe(true)
    },
  )

  it('each npm script that a page names is one', () => {
    const named = [
      ...`${script}\n${commands.map(({ command }) => command).join('\n')}`.matchAll(
        /npm run (?:-s )?([\w:]+)/g,
      ),
    ]
    const unknown = named.map(([, name]) => name ?? '').filter((name) => !scripts.includes(name))
    expect(unknown).toEqual([])
  })

  it('each npm script is in the reference', () => {
    const reference = read('docs/reference.md')
    const absent = scripts.filter(
      (name) => !reference.includes(`npm run ${name}`) && !reference.includes(`npm run -s ${name}`),
    )
    expect(absent.filter((name) => !reference.includes(`npm ${name}`))).toEqual([])
  })

  it('each hub command that a page names is in the table of the reference', () => {
    const known = tableBelow('docs/reference.md', '### hub').map(([command = '']) =>
      command.replaceAll('`', ''),
    )
    const named = pages.flatMap(({ spans }) => spans.filter((span) => /^hub [a-z]/.test(span)))
    expect(named).not.toEqual([])
    for (const span of named)
      expect(
        known.some((command) => span.startsWith(`hub ${command}`)),
        span,
      ).toBe(true)
  })
})

describe('the tables of the docs are those of the code', () => {
  it('the settings', () => {
    const names = (text: string) => [...new Set(text.match(/\bHUB_[A-Z_]+\b/g))].sort()
    const documented = tableBelow('docs/reference.md', '## Settings').map(([name = '']) => name)
    expect(names(documented.join(' '))).toEqual(names(read('server/platform/config.ts')))
  })

  it('the error codes, and their names', () => {
    const sources = ['server/platform/errors.ts', ...globSync('server/http/errors/*.ts', { cwd: ROOT })]
    const code = sources.map(read).join('\n')
    const numbers = (text: string) => [...new Set(text.match(/\b[45]\d{4}\b/g))].sort()
    const rows = tableBelow('docs/partners.md', '## Errors')
    expect(numbers(rows.map(([codes]) => codes).join(' '))).toEqual(numbers(code))
    for (const [codes = '', names = ''] of rows) {
      const listed = names.match(/[A-Z_]{4,}/g) ?? []
      expect(listed, codes).toHaveLength(codes.split(',').length)
      for (const name of listed) expect(code, codes).toMatch(new RegExp(`\\b${name}\\b`))
    }
  })
})

it('README fits one page', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(125)
  expect(readPage('README.md').links).toContain('docs/demo.svg')
})
