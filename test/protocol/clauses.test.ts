import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { acceptanceVectors } from './vectors.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** MUST clauses that no test can name, each with the reason. */
const UNTESTED: Readonly<Record<string, string>> = {
  '2.1': 'what a factory and its devices do with K, on hardware that is not here',
}

/** Where a citation stands: in running code's words, or in a string of a test, which is its title. */
interface Citation {
  path: string
  clause: string
}

/** A clause begins with its number in bold and ends with the paragraph. */
function readClauses(specification: string) {
  const found = [...specification.matchAll(/^\*\*(\d+\.\d+)\*\* ((?:.+\n)+)/gm)]
  return new Map(found.map(([, number = '', text = '']) => [number, levelOf(text)]))
}

function levelOf(text: string): 'MUST' | 'SHOULD' | 'MAY' {
  if (/\bMUST\b/.test(text)) return 'MUST'
  return /\bSHOULD\b/.test(text) ? 'SHOULD' : 'MAY'
}

function citationsIn(path: string, text: string): Citation[] {
  return [...text.matchAll(/\bsb\/1 (\d+\.\d+)/g)].map(([, clause = '']) => ({ path, clause }))
}

/** The strings of a source, as far as one line holds them. */
function stringsIn(text: string): string {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
  return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].join('\n')
}

const clauses = readClauses(readFileSync(join(ROOT, 'protocol/README.md'), 'utf8'))
const sources = globSync('{protocol,server,simulator,test}/**/*.{ts,tsx,md,c,h}', { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path !== 'test/protocol/clauses.test.ts')
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
const generated = globSync('protocol/{schemas,vectors}/**/*.json', { cwd: ROOT }).map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
}))

/** The titles of tests name these; those of acceptance.test.ts are made of the vectors' own lists. */
const named = new Set([
  ...sources
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .flatMap(({ path, text }) => citationsIn(path, stringsIn(text)).map(({ clause }) => clause)),
  ...acceptanceVectors.cases.flatMap((vector) => vector.clauses),
])

const of = (level: 'MUST' | 'SHOULD' | 'MAY') =>
  [...clauses].flatMap(([number, is]) => (is === level ? [number] : []))

describe('the clauses of sb/1', () => {
  afterAll(() => {
    const unnamed = of('SHOULD').filter((number) => !named.has(number))
    if (unnamed.length > 0) process.stdout.write(`sb/1: SHOULD, named by no test: ${unnamed.join(', ')}\n`)
  })

  it('are numbered from 1 in every section, without a gap', () => {
    const last = new Map<string, number>()
    for (const number of clauses.keys()) {
      const [section = '', place = ''] = number.split('.')
      expect([number, Number(place)]).toEqual([number, (last.get(section) ?? 0) + 1])
      last.set(section, Number(place))
    }
    expect(clauses.size).toBeGreaterThan(60)
  })

  it('are all there that anybody cites', () => {
    const all = [...sources, ...generated].flatMap(({ path, text }) => citationsIn(path, text))
    const fromVectors = acceptanceVectors.cases.flatMap((vector) =>
      vector.clauses.map((clause) => ({ path: `acceptance.json: ${vector.name}`, clause })),
    )
    expect(all.length).toBeGreaterThan(100)
    expect([...all, ...fromVectors].filter(({ clause }) => !clauses.has(clause))).toEqual([])
  })

  it('are each named by the title of a test when they say MUST', () => {
    const missing = of('MUST').filter((number) => !named.has(number) && UNTESTED[number] === undefined)
    expect(missing, 'name them in a title, as `sb/1 7.5: …`, or say in UNTESTED why not').toEqual([])
  })

  it('are excused only where they have to be', () => {
    const idle = Object.keys(UNTESTED).filter((number) => clauses.get(number) !== 'MUST' || named.has(number))
    expect(idle).toEqual([])
  })
})

describe('the reader of clauses', () => {
  it('tells the level by the strongest word of the paragraph', () => {
    const text =
      '**1.1** A device MUST\nwait, and SHOULD rest.\n\nIt MUST not.\n\n**1.2** It SHOULD.\n\n**1.3** It is.\n'
    expect([...readClauses(text)]).toEqual([
      ['1.1', 'MUST'],
      ['1.2', 'SHOULD'],
      ['1.3', 'MAY'],
    ])
  })

  it('takes titles for names, and comments for citations alone', () => {
    const text = "// sb/1 9.8\n/** sb/1 9.7 */\nit('sb/1 7.5, sb/1 7.6: speaks once', () => {})\n"
    expect(citationsIn('a', stringsIn(text)).map(({ clause }) => clause)).toEqual(['7.5', '7.6'])
    expect(citationsIn('a', text).map(({ clause }) => clause)).toEqual(['9.8', '9.7', '7.5', '7.6'])
  })
})
