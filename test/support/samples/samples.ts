import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ended, start } from '../processes/process.ts'

export const STEPS = ['token', 'code', 'register', 'qr', 'callback'] as const
export type Step = (typeof STEPS)[number]
/** Also the receiver of webhooks, which is a program of its own. */
export type SampleName = Step | 'receive'

/** A tool that a language needs, and the oldest version that runs the samples. */
interface Tool {
  command: string
  ask: string
  atLeast: readonly [major: number, minor: number]
}

export interface Language {
  name: string
  extension: string
  tools: readonly Tool[]
  /** The command line that a reader of the samples would type to run these files. */
  run(...files: string[]): string[]
}

export const LANGUAGES: readonly Language[] = [
  {
    name: 'curl',
    extension: 'sh',
    tools: [
      { command: 'curl', ask: '--version', atLeast: [7, 76] },
      { command: 'openssl', ask: 'version', atLeast: [1, 1] },
    ],
    run: (...files) => ['sh', ...files],
  },
  {
    name: 'Node.js',
    extension: 'mjs',
    tools: [{ command: process.execPath, ask: '--version', atLeast: [18, 0] }],
    run: (...files) => [process.execPath, ...files],
  },
  {
    name: 'Python',
    extension: 'py',
    tools: [{ command: 'python3', ask: '--version', atLeast: [3, 7] }],
    run: (...files) => ['python3', ...files],
  },
  {
    name: 'PHP',
    extension: 'php',
    tools: [{ command: 'php', ask: '--version', atLeast: [8, 0] }],
    run: (...files) => ['php', ...files],
  },
  {
    name: 'Java',
    extension: 'java',
    tools: [{ command: 'java', ask: '--version', atLeast: [17, 0] }],
    // The first two options only make it start sooner. The samples tell the reader to set the encoding.
    run: (...files) => [
      ...['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Dfile.encoding=UTF-8'],
      ...files,
    ],
  },
  {
    name: 'Go',
    extension: 'go',
    tools: [{ command: 'go', ask: 'version', atLeast: [1, 16] }],
    run: (...files) => ['go', 'run', ...files],
  },
]

/** The reason why a language can't run on this machine. Undefined when it can. */
export function missing({ name, tools }: Language): string | undefined {
  for (const { command, ask, atLeast } of tools) {
    const [major, minor] = atLeast
    const asked = spawnSync(command, [ask], { encoding: 'utf8' })
    const [, foundMajor = '', foundMinor = '0'] = /(\d+)(?:\.(\d+))?/.exec(asked.stdout ?? '') ?? []
    if (asked.status !== 0) return `${name}: ${command} is not installed`
    if (Number(foundMajor) < major || (Number(foundMajor) === major && Number(foundMinor) < minor))
      return `${name}: ${command} is older than ${major}.${minor}`
  }
  return undefined
}

/** A sample's text in the repository, with its placeholders. */
export function readSample(step: SampleName, { extension }: Language): string {
  const url = new URL(`../../../server/site/samples/${step}.${extension}`, import.meta.url)
  return readFileSync(url, 'utf8')
}

/** The same, with ten minutes for an answer in place of ten seconds, which a loaded machine may need. */
export function readPatientSample(step: Step, language: Language): string {
  return readSample(step, language).replace(/\b10(?=_000\)|\b)/, '600')
}

/** The names of the placeholders in a text: `{{name}}`. */
export function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name))].sort()
}

/** Replaces the placeholders by values. Throws when a value is missing. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`no value for {{${name}}}`)
    return value
  })
}

/** Writes program files into a folder and runs them together until they exit. */
export async function runProgram(
  language: Language,
  folder: string,
  programs: Record<string, string>,
  stdin = '',
): Promise<Ended> {
  const files = Object.entries(programs).map(([name, text]) => {
    const file = join(folder, `${name}.${language.extension}`)
    writeFileSync(file, text)
    return file
  })
  const [command = '', ...args] = language.run(...files)
  // Go's compile cache is below the home folder.
  const running = start(command, args, { HOME: process.env.HOME ?? folder })
  running.child.stdin?.end(stdin)
  return running.ended
}
