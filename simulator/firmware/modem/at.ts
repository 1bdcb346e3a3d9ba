/** One argument of a command; undefined where it is left out between two commas. */
export type Argument = number | string | undefined

/** A command line without its `AT`. `name` is upper case: `+QIOPEN`, `E`, and empty for `AT` alone. */
export type Command =
  | { name: string; form: 'execute' | 'read' | 'test' }
  | { name: string; form: 'write'; args: readonly Argument[] }

const BASIC = /^([EVQ]|&F|&W)([01])?$/i
const EXTENDED = /^(\+[A-Z]+)(\?|=\?|=(.+))?$/i
/** Strings in quotes, whole numbers, or nothing, between commas. */
const ARGUMENTS = /^("[^"]*"|\d{1,9}|)(,("[^"]*"|\d{1,9}|))*$/

/**
 * Reads a command line (3GPP TS 27.007, ITU-T V.250). What stands before `AT` is noise, which V.250 ignores; undefined
 * when there is no `AT`. 'invalid' for a line that no module of this kind knows: spaces, several commands in a line.
 */
export function readCommand(line: string): Command | 'invalid' | undefined {
  const at = line.toUpperCase().indexOf('AT')
  if (at < 0) return undefined
  const body = line.slice(at + 2)
  if (body === '') return { name: '', form: 'execute' }
  const basic = BASIC.exec(body)
  if (basic?.[1]) return { name: basic[1].toUpperCase(), form: 'write', args: [Number(basic[2] ?? 0)] }
  const [, name, form, given] = EXTENDED.exec(body) ?? []
  if (name === undefined) return 'invalid'
  const known = name.toUpperCase()
  if (form === undefined) return { name: known, form: 'execute' }
  if (form === '?') return { name: known, form: 'read' }
  if (form === '=?') return { name: known, form: 'test' }
  const args = readArguments(given ?? '')
  return args ? { name: known, form: 'write', args } : 'invalid'
}

/** Undefined when one of them is neither a number nor a string in quotes. */
function readArguments(text: string): Argument[] | undefined {
  if (!ARGUMENTS.test(text)) return undefined
  return [...text.matchAll(/(?:^|,)(?:"([^"]*)"|(\d*))/g)].map(
    ([, string, digits]) => string ?? (digits === '' ? undefined : Number(digits)),
  )
}
