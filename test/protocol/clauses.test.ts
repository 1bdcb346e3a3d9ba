import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { loadCases } from '../../protocol/conformance/case/load.ts'
import { acceptanceVectors } from './vectors.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** MUST clauses that no test can check, with the reason. */
const UNTESTED: Readonly<Record<string, string>> = {
  '2.1': 'the hub can not observe how a factory and its devices store K',
  '18.6': 'the simulated speaker has no image',
  '18.8': 'the simulated speaker has one address, on its command line',
}

/** A citation of a clause in a source file. */
interface Citation {
  path: string
  clause: string
}

/** A clause starts with its bold number and ends with the paragraph. */
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

/** The string literals of a source, without its comments. */
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

/** Clauses in the titles of tests, in the vectors of acceptance.test.ts, and in the cases of conformance/simulator.test.ts. */
const named = new Set([
  ...sources
    .filter(({ path }) => /\.test\.tsx?$/.test(path))
    .flatMap(({ path, text }) => citationsIn(path, stringsIn(text)).map(({ clause }) => clause)),
  ...[...acceptanceVectors.cases, ...loadCases()].flatMap(({ clauses }) => clauses),
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

  it('include every clause that a file cites', () => {
    const all = [...sources, ...generated].flatMap(({ path, text }) => citationsIn(path, text))
    const fromVectors = acceptanceVectors.cases.flatMap((vector) =>
      vector.clauses.map((clause) => ({ path: `acceptance.json: ${vector.name}`, clause })),
    )
    expect(all.length).toBeGreaterThan(100)
    expect([...all, ...fromVectors].filter(({ clause }) => !clauses.has(clause))).toEqual([])
  })

  it('with a MUST are each named in the title of a test', () => {
    const missing = of('MUST').filter((number) => !named.has(number) && UNTESTED[number] === undefined)
    expect(missing, 'name them in a title, as `sb/1 7.5: …`, or state the reason in UNTESTED').toEqual([])
  })

  it('are in UNTESTED only if no test names them', () => {
    const idle = Object.keys(UNTESTED).filter((number) => clauses.get(number) !== 'MUST' || named.has(number))
    expect(idle).toEqual([])
  })
})

describe('the parser of clauses', () => {
  it('takes the level from the strongest word of the paragraph', () => {
    const text =
      '**1.1** A device MUST\nwait, and SHOULD rest.\n\nIt MUST not.\n\n**1.2** It SHOULD.\n\n**1.3** It is.\n'
    expect([...readClauses(text)]).toEqual([
      ['1.1', 'MUST'],
      ['1.2', 'SHOULD'],
      ['1.3', 'MAY'],
    ])
  })

  it('finds names only in titles, and citations also in comments', () => {
    const text = "// sb/1 9.8\n/** sb/1 9.7 */\nit('sb/1 7.5, sb/1 7.6: speaks once', () => {})\n"
    expect(citationsIn('a', stringsIn(text)).map(({ clause }) => clause)).toEqual(['7.5', '7.6'])
    expect(citationsIn('a', text).map(({ clause }) => clause)).toEqual(['9.8', '9.7', '7.5', '7.6'])
  })
})
