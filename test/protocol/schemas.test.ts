import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { downPrefix, openFrame, upPrefix } from '../../protocol/frame.ts'
import { catalogue } from '../../protocol/generate/messages/catalogue.ts'
import { EXAMPLE } from '../../protocol/generate/messages/examples.ts'
import { deriveKeys, parseKey } from '../../protocol/keys.ts'
import { parseCommand } from '../../protocol/messages/command.ts'
import type { UpKind } from '../../protocol/topics.ts'
import { acceptanceVectors, frameVectors } from './vectors.ts'

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../protocol/${path}`, import.meta.url), 'utf8'))

const ajv = new Ajv2020({ allErrors: true })
const NAMES = catalogue().map(({ name }) => name)
const COMMANDS = catalogue().flatMap(({ name, direction }) => (direction === 'down' ? [name] : []))
const schemas = new Map(
  NAMES.map((name) => [name, ajv.compile(Object(read(`schemas/${name}.schema.json`)))] as const),
)

function schemaOf(name: string): ValidateFunction {
  const schema = schemas.get(name)
  if (!schema) throw new Error(`no schema of ${name}`)
  return schema
}

function errorsOf(name: string, payload: string): unknown {
  const validate = schemaOf(name)
  validate(JSON.parse(payload))
  return validate.errors ?? []
}

/** The schema's name for each kind of up message. */
const upName = (kind: UpKind) => (kind === 'settings' ? 'settings-report' : kind)

describe('the JSON Schemas', () => {
  it.each(frameVectors.frames)('accept the frames of another implementation: $signed', ({ kind, frame }) => {
    expect(errorsOf(kind === null ? JSON.parse(frame).t : upName(kind), frame)).toEqual([])
  })

  it.each(acceptanceVectors.cases.flatMap(({ sends }) => sends))(
    'sb/1 9.1: fit what a device sends: $frame',
    ({ kind, frame }) => {
      expect(errorsOf(upName(kind), frame)).toEqual([])
    },
  )

  it.each(acceptanceVectors.cases)(
    "sb/1 9.1: agree with the hub's Zod schemas: $name",
    ({ before, event }) => {
      if (event.type !== 'frame') return
      const keys = deriveKeys(parseKey(before.key) ?? Buffer.alloc(0))
      const payload = Buffer.from(event.frameBase64, 'base64')
      const opened = openFrame(keys.down, downPrefix(before.serial, before.sid), payload)
      if (!opened.ok) return
      const parsed = parseCommand(opened.body)
      const isOf = COMMANDS.filter((name) => schemaOf(name)(opened.body))
      expect(isOf).toEqual(parsed.kind === 'command' ? [parsed.command.t] : [])
    },
  )

  it.each(NAMES)('have the same meaning in draft-07: %s', (name) => {
    const { $schema: _, ...schema } = Object(read(`schemas/${name}.schema.json`))
    expect(() => new Ajv().compile(schema)).not.toThrow()
  })

  it.each(catalogue())('describe every field: $name', ({ name }) => {
    const { properties } = Object(read(`schemas/${name}.schema.json`))
    const fields = { ...properties, ...properties.d?.properties }
    const silent = Object.entries(fields).filter(
      ([, field]) => Object(field).description === undefined && Object(field).const === undefined,
    )
    expect(silent).toEqual([])
  })
})

describe('asyncapi.json', () => {
  const document = Object(read('asyncapi.json'))
  const messages: [string, { payload: { $ref: string }; examples: { payload: object }[] }][] = Object.entries(
    document.components.messages,
  )

  /** The value at a JSON pointer of the document. */
  const lookUp = (pointer: string): unknown =>
    pointer
      .slice(2)
      .split('/')
      .reduce((at, step) => Object(at)[step], document)

  it('has no dangling reference', () => {
    const pointers = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to ?? '')
    expect(pointers.length).toBeGreaterThan(30)
    expect(pointers.filter((pointer) => lookUp(pointer) === undefined)).toEqual([])
  })

  it('has every message, each in one channel', () => {
    expect(messages.map(([name]) => name)).toEqual(NAMES)
    const inChannels = Object.values(document.channels).flatMap((channel) =>
      Object.keys(Object(channel).messages),
    )
    expect(inChannels).toEqual(NAMES)
  })

  it.each(messages)('has a valid example of %s', (_, { payload, examples }) => {
    const validate = ajv.compile(Object(lookUp(payload.$ref)))
    for (const example of examples) {
      validate(example.payload)
      expect(validate.errors ?? []).toEqual([])
    }
    expect(examples).not.toEqual([])
  })

  it.each(catalogue().filter(({ sealed }) => sealed))(
    'has an example of $name whose MAC is right',
    ({ name, channel }) => {
      const { serial, sid, key } = EXAMPLE
      const keys = deriveKeys(key)
      const [example] = document.components.messages[name].examples
      const frame = Buffer.from(JSON.stringify(example.payload))
      const opened =
        channel === 'down'
          ? openFrame(keys.down, downPrefix(serial, sid), frame)
          : openFrame(keys.up, upPrefix(serial, sid, channel), frame)
      expect(opened.ok).toBe(true)
    },
  )
})
