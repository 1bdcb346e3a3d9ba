import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CommandBody } from '../../../../server/delivery/session/command.ts'
import { fill } from '../../../../server/dialects/oneway/template.ts'
import { expectedPassword, identityOf } from '../../../../server/dialects/profile/login.ts'
import { wireIdOf } from '../../../../server/dialects/profile/names.ts'
import file from '../vectors/boxes.json' with { type: 'json' }
import { codecOf, profileOf, sending, textOf } from './support.ts'

const body = z.custom<CommandBody>()
const command = z.object({ id: z.string(), now: z.number(), expiresAt: z.number(), body })
const box = z.object({
  about: z.string(),
  profile: z.string(),
  serial: z.string(),
  change: z.record(z.string(), z.unknown()).optional(),
})
const vectors = z
  .object({
    down: z.array(command.extend(box.shape).extend({ topic: z.string(), text: z.string() })),
    up: z.array(
      box.extend({
        after: command.optional(),
        text: z.string(),
        heard: z.looseObject({ kind: z.string() }),
        answers: z.array(z.string()).optional(),
      }),
    ),
    samples: z.array(
      z.object({
        about: z.string(),
        template: z.record(z.string(), z.json()),
        values: z.record(z.string(), z.union([z.string(), z.number()])),
        text: z.string(),
      }),
    ),
    logins: z.array(
      box.extend({
        given: z.string().optional(),
        secret: z.string().optional(),
        wireId: z.string(),
        password: z.string(),
        identity: z.string(),
      }),
    ),
  })
  .parse(file)

describe('a message to a box, byte for byte', () => {
  it.each(vectors.down)(
    '$profile: $about: $text',
    ({ profile: name, change, serial, topic, text, now, ...sent }) => {
      const profile = profileOf(name, change)
      const written = codecOf(profile, serial).write(sending(sent.body, sent), now, profile.bufferBytes)
      if (written === 'done' || 'failed' in written)
        throw new Error(`not written: ${JSON.stringify(written)}`)
      expect(textOf(written.payload)).toBe(text)
      expect(written.topic).toBe(topic)
    },
  )
})

describe('a message of a box', () => {
  it.each(vectors.up)(
    '$profile: $about: $text',
    ({ profile: name, change, serial, after, text, heard, answers }) => {
      const profile = profileOf(name, change)
      const codec = codecOf(profile, serial)
      if (after) codec.write(sending(after.body, after), after.now, profile.bufferBytes)
      const packet = { topic: 'any', qos: 0, retain: false, payload: Buffer.from(text) }
      const { answers: said, ...rest } = codec.read(packet)
      expect(rest).toEqual(heard)
      expect(said?.map(({ payload }) => textOf(payload))).toEqual(answers)
      const down = profile.topics.down.replace('{serial}', serial)
      for (const { topic } of said ?? []) expect(topic).toBe(down)
    },
  )
})

describe('a sample of a maker or operator', () => {
  it.each(vectors.samples)('$about', ({ template, values, text }) => {
    const filled = fill(template, values, {})
    expect('json' in filled && JSON.stringify(filled.json)).toBe(text)
  })
})

describe('a login', () => {
  it.each(vectors.logins)(
    '$profile',
    ({ profile: name, serial, given, secret, wireId, password, identity }) => {
      const profile = profileOf(name)
      expect(expectedPassword(profile, { serial, given, secret })).toEqual({ password })
      expect(wireIdOf(profile, serial)).toBe(wireId)
      expect(identityOf(profile)).toBe(identity)
    },
  )
})
