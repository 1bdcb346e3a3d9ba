import { code, hex, profile, type Scenario, sealed } from './scenarios.ts'

/** How the core reads JSON and text. */

const nested = (depth: number) => `,"x":${'['.repeat(depth)}${']'.repeat(depth)}`

/** Texts that the two readers may take differently, or that mutations seldom reach. */
export const TEXTS: Scenario[] = [
  ['a tab within a string', code(42).replace(hex('048213'), hex('0482\t3')), 'ignored bad_json'],
  ['a nesting of 32', sealed('dance', 42, '{}', nested(31)), 'failed 42 unsupported'],
  ['a nesting of 33', sealed('dance', 42, '{}', nested(32)), 'ignored bad_json'],
  [
    'a number that wraps at 64 bits',
    code(42).replace(hex('"n":42'), hex('"n":18446744073709551658')),
    'ignored malformed',
  ],
  ['a number with a fraction', code(42).replace(hex('"n":42'), hex('"n":42.0')), 'ignored malformed'],
  ['a number with an exponent', code(42).replace(hex('"n":42'), hex('"n":42e0')), 'ignored malformed'],
  ['a byte that is not UTF-8', profile('A').replace(hex('"A"'), `22ff22`), 'ignored bad_json'],
  ['an overlong UTF-8 sequence', profile('A').replace(hex('"A"'), `22c1a122`), 'ignored bad_json'],
  ['a surrogate in UTF-8', profile('A').replace(hex('"A"'), `22eda08022`), 'ignored bad_json'],
  ['a code point beyond Unicode', profile('A').replace(hex('"A"'), `22f490808022`), 'ignored bad_json'],
  ['a cut UTF-8 sequence', profile('A').replace(hex('"A"'), `22f09fa722`), 'ignored bad_json'],
].map(([name = '', line = '', first = '']) => ({ name, lines: [line], does: [first] }))

/** Names as JSON has them, and as they stand on the screen. */
export const NAMES = [
  ['\\u0050h\\u1edf', 'Phở'],
  ['\\ud83e\\uddcb', '\u{1f9cb}'],
  ['\\ud83e', '\ufffd'],
  ['\\ud83eA', '\ufffdA'],
  ['\\ud83e\\u0041', '\ufffdA'],
  ['\\ud83e\\ue000', '\ufffd\ue000'],
  ['\\uddcb\\ud83e', '\ufffd\ufffd'],
  ['\\u0000', '\ufffd'],
  ['\\"\\\\\\/\\b\\f\\n\\r\\t', '"\\/\b\f\n\r\t'],
].map(([written = '', shown = '']) => ({ shown, lines: [profile(written)] }))
