import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { generatedFiles } from '../../protocol/generate/files.ts'

const PROTOCOL = fileURLToPath(new URL('../../protocol/', import.meta.url))
const read = (path: string) => readFileSync(`${PROTOCOL}${path}`, 'utf8')

describe('a generated file of protocol/', () => {
  it.each([...generatedFiles(read('README.md'))])(
    '%s is what `npm run protocol:generate` writes',
    (path, content) => {
      expect(read(path)).toBe(content)
    },
  )
})

describe('every vector file', () => {
  const names = globSync('vectors/*.json', { cwd: PROTOCOL }).map((path) =>
    path.replace(/^.*[\\/]|\.json$/g, ''),
  )

  it.each(names)('%s.json matches its schema', (name) => {
    const validate = new Ajv2020({ allErrors: true }).compile(
      JSON.parse(read(`vectors/schemas/${name}.schema.json`)),
    )
    validate(JSON.parse(read(`vectors/${name}.json`)))
    expect(validate.errors ?? []).toEqual([])
  })

  it.each(names)('%s.json is listed in vectors/README.md', (name) => {
    expect(read('vectors/README.md')).toContain(`[${name}.json](${name}.json)`)
  })
})
