import { describe, expect, it } from 'vitest'
import { COMMANDS, FINAL_STAGE, parseCommand } from '../../protocol/messages/command.ts'

const envelope = { id: '01JD3Z8Q6X9V5T7M2K4N8P0R1S', n: 42, at: 1_763_678_400, ttl: 120 }
const identify = { t: 'identify', ...envelope, d: {} }

describe('parseCommand', () => {
  it('sb/1 5.4: drops unknown fields of the envelope and of the body', () => {
    expect(parseCommand({ ...identify, later: 1, d: { later: 2 }, mac: 'x' })).toEqual({
      kind: 'command',
      command: identify,
    })
  })

  it.each([
    ['a type that it does not know', { t: 'dance', d: {} }],
    ['a type that is a word of the language', { t: 'constructor', d: {} }],
    ['a body that does not fit its type', { t: 'code', d: { code: 'abcdef', exp: 1 } }],
    ['a body that is nothing', { t: 'identify', d: null }],
  ])('sb/1 7.8: returns id and n of an unsupported command: %s', (_, change) => {
    const { id, n } = envelope
    expect(parseCommand({ ...identify, ...change })).toEqual({ kind: 'unsupported', id, n, t: change.t })
  })

  it('returns id and n of a command without a body', () => {
    const { d: _, ...bodiless } = identify
    expect(parseCommand(bodiless)).toMatchObject({ kind: 'unsupported', t: 'identify' })
  })

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['no type', { ...envelope, d: {} }],
    ['an id that is no ULID', { ...identify, id: 'x' }],
    ['a number below 0', { ...identify, n: -1 }],
    ['a number over 32 bits', { ...identify, n: 2 ** 32 }],
    ['a fraction', { ...identify, at: 1.5 }],
    ['a number as text', { ...identify, ttl: '120' }],
  ])('sb/1 5.5: is malformed: %s', (_, body) => {
    expect(parseCommand(body)).toEqual({ kind: 'malformed' })
  })

  it('has a last stage for every command', () => {
    expect(Object.keys(FINAL_STAGE)).toEqual(Object.keys(COMMANDS))
  })
})
