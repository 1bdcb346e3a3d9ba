import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseScenario } from '../../../../simulator/run/scenario/file/load.ts'
import { ScenarioError } from '../../../../simulator/run/scenario/file/scenario-error.ts'

const FOLDER = fileURLToPath(new URL('../../../../simulator/scenarios/', import.meta.url))
const TEXTS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readFileSync(`${FOLDER}${name}`, 'utf8'))
/** Pieces of scenarios, of YAML, and of JavaScript's own names. */
const PIECES = [
  ...new Set(TEXTS.flatMap((text) => text.match(/[\w$-]+|[^\w\s]/g) ?? [])),
  ...[
    '*a',
    '&a ',
    '<<',
    '? ',
    '| ',
    '!!set',
    '- ',
    ': ',
    '\t',
    '\n',
    '\n  ',
    '"',
    "'",
    '${',
    '}',
    '[',
    ']',
    'null',
    '~',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '1e999',
    '-0',
    '.nan',
    '0x10',
    'true',
    '{}',
    '[]',
    '\u2028',
    '\ud800',
  ],
]

/** A text with some places replaced by pieces. */
const mutilated = fc
  .tuple(
    fc.constantFrom(...TEXTS),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 12 }), fc.constantFrom(...PIECES)), {
      minLength: 1,
      maxLength: 6,
    }),
  )
  .map(([text, changes]) =>
    changes.reduce((whole, [place, length, piece]) => {
      const at = place % whole.length
      return `${whole.slice(0, at)}${piece}${whole.slice(at + length)}`
    }, text),
  )

it('whatever is done to a scenario, it is one, or its mistakes are told with their lines', () => {
  fc.assert(
    fc.property(mutilated, (text) => {
      try {
        parseScenario('x.yaml', text)
      } catch (error) {
        if (!(error instanceof ScenarioError)) throw error
        for (const { line, message } of error.mistakes) {
          expect(line).toBeGreaterThan(0)
          expect(message).not.toMatch(/\n|undefined|\[object|^$/)
        }
      }
    }),
    { numRuns: 150 },
  )
})
