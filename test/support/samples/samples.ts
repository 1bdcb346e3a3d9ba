import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { installClient, PATIENT } from '../clients/packed-client.ts'
import { type Ended, start } from '../processes/process.ts'

export const STEPS = ['get_token', 'show_code', 'register', 'show_qr', 'report_payment'] as const
export type Step = (typeof STEPS)[number]
/** Also what the steps of a language share, and the receiver of webhooks, which is a program of its own. */
export type SampleName = 'hub' | Step | 'receive' | 'processor'

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
  /** The command line that a reader of the samples would type to run a file, with the one that the samples share. */
  run(file: string, shared?: string): string[]
  /** Its samples use a client that gets tokens by itself: they have the credentials in place of a token. */
  usesClient?: true
}

export const LANGUAGES: readonly Language[] = [
  {
    name: 'curl',
    extension: 'sh',
    tools: [
      { command: 'curl', ask: '--version', atLeast: [7, 76] },
      { command: 'openssl', ask: 'version', atLeast: [1, 1] },
    ],
    run: (file) => ['sh', file],
  },
  {
    name: 'Node.js',
    extension: 'mjs',
    tools: [{ command: process.execPath, ask: '--version', atLeast: [18, 0] }],
    run: (file) => [process.execPath, file],
  },
  {
    name: 'TypeScript',
    extension: 'mts',
    tools: [{ command: process.execPath, ask: '--version', atLeast: [22, 18] }],
    run: (file) => [process.execPath, file],
    usesClient: true,
  },
  {
    name: 'Python',
    extension: 'py',
    tools: [{ command: 'python3', ask: '--version', atLeast: [3, 7] }],
    run: (file) => ['python3', file],
  },
  {
    name: 'PHP',
    extension: 'php',
    tools: [{ command: 'php', ask: '--version', atLeast: [8, 1] }],
    run: (file) => ['php', file],
  },
  {
    name: 'Java',
    extension: 'java',
    tools: [{ command: 'javac', ask: '--version', atLeast: [17, 0] }],
    run: (file, shared) => {
      // The first two options only make it start sooner. The samples tell the reader to set the encoding.
      const java = ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Dfile.encoding=UTF-8']
      if (shared === undefined) return [...java, file]
      const words = basename(file, '.java').split('_')
      const className = words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('')
      const compiled = 'cd "$0" && javac -encoding UTF-8 "$1" "$2" && shift 2 && exec "$@"'
      return ['sh', '-c', compiled, dirname(file), shared, file, ...java, className]
    },
  },
  {
    name: 'Go',
    extension: 'go',
    tools: [{ command: 'go', ask: 'version', atLeast: [1, 16] }],
    run: (file, shared) => ['go', 'run', ...(shared === undefined ? [] : [shared]), file],
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
export function readSample(name: SampleName, { extension }: Pick<Language, 'extension'>): string {
  const url = new URL(`../../../server/site/samples/${name}.${extension}`, import.meta.url)
  return readFileSync(url, 'utf8')
}

/** The same, with ten minutes for an answer, which a loaded machine may need. */
export function readPatientSample(name: SampleName, language: Language): string {
  const text = readSample(name, language)
  return language.usesClient
    ? text.replace('new HubClient({', `$&${PATIENT}`)
    : text.replace(/\b10(?=_000\)|\b)/, '600')
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

/** Writes a program and what it shares with others into a folder, and runs it until it exits. */
export async function runProgram(
  language: Language,
  folder: string,
  { name, text, hub, stdin = '' }: { name: string; text: string; hub: string; stdin?: string },
): Promise<Ended> {
  if (language.usesClient) await installClient(folder)
  const write = (named: string, content: string) => {
    const file = join(folder, `${named}.${language.extension}`)
    writeFileSync(file, content)
    return file
  }
  const [command = '', ...args] = language.run(write(name, text), write('hub', hub))
  // Go's compile cache is below the home folder.
  const running = start(command, args, { HOME: process.env.HOME ?? folder })
  running.child.stdin?.end(stdin)
  return running.ended
}
