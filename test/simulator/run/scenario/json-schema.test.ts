import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { toJson } from '../../../../protocol/generate/messages/json.ts'
import { scenarioSchema } from '../../../../simulator/run/scenario/file/json-schema.ts'
import { headlessValidator } from '../../support/headless-validator.ts'

const FOLDER = fileURLToPath(new URL('../../../../simulator/scenarios/', import.meta.url))
const SCHEMA = readFileSync(`${FOLDER}scenario.schema.json`, 'utf8')
const validate = headlessValidator(SCHEMA)

it('equals the output of `npm run simulator:generate`', () => {
  expect(SCHEMA).toBe(toJson(scenarioSchema()))
})

it('accepts every scenario of this repository, and those of the page', () => {
  const files = globSync(`${FOLDER}*.yaml`).map((file) => readFileSync(file, 'utf8'))
  const page = readFileSync(`${FOLDER}README.md`, 'utf8')
  const blocks = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const examples = blocks.filter((block) => block.startsWith('about:'))
  expect([files.length, examples.length]).toEqual([21, 3])
  for (const text of [...files, ...examples])
    expect([text, validate(parse(text)) || validate.errors]).toEqual([text, true])
})

it.each([
  'expct: connected',
  'expect: conected',
  'expect: { event: announce, amount: "1" }\n    witin: 1s',
  'volume: 101',
  'keys: 50000',
  'key: entr',
  'fault: slow',
  'wait: 5',
  'repeat: 2\n    steps:\n      - pya: "1"',
  'for: { n: 1 }\n    steps:\n      - wait: 1s',
])('refuses the step %s', (step) => {
  expect(validate(parse(`about: a\nsteps:\n  - ${step}\n`))).toBe(false)
})
