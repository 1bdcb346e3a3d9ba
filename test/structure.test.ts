import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['protocol', 'server', 'simulator', 'test']
/** Beyond this a file has more than one meaning. */
const LONGEST_FILE = 300

interface SourceFile {
  /** From the root, with forward slashes. */
  path: string
  text: string
  /** What it imports: our files by their path from the root, packages by their name. */
  imports: string[]
}

const IMPORT = /(?:\bfrom\s+|\bimport\s+|\bimport\(\s*)(['"])([^'"\n]+)\1/g

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, , name]) => {
    if (name === undefined) return []
    return [name.startsWith('.') ? normalize(join(dirname(path), name)).replaceAll('\\', '/') : name]
  })
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

const sources: SourceFile[] = globSync(
  FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx}`),
  { cwd: ROOT },
).map((found) => {
  const path = found.replaceAll('\\', '/')
  const text = withoutComments(readFileSync(join(ROOT, found), 'utf8'))
  return { path, text, imports: importsOf(path, text) }
})

const within = (...folders: string[]) => new RegExp(`^(${folders.join('|')})(/|$)`)
const packages = (...names: string[]) => new RegExp(`^(${names.join('|')})(/|$)`)
const OURS = within(...FOLDERS)
const STORAGE_ENGINE = /^(drizzle-orm|better-sqlite3|server\/storage\/sqlite)(\/|$)/
const NOUNS = within(
  ...[
    'partners',
    'devices',
    'settings',
    'stores',
    'payments',
    'announcements',
    'delivery',
    'idempotency',
  ].map((noun) => `server/${noun}`),
)
/** The thin files of a noun that translate between it and a wire, or describe the wire's bodies. */
const ADAPTER = /\/(http|mqtt|dto|to-dto)\.ts$/
const isPure = (path: string) => NOUNS.test(path) && !ADAPTER.test(path)

interface ImportRule {
  rule: string
  files: (path: string) => boolean
  forbidden: (imported: string) => boolean
  instead: string
}

const IMPORT_RULES: ImportRule[] = [
  {
    rule: 'the protocol depends on nothing of ours',
    files: (path) => within('protocol').test(path),
    forbidden: (name) => OURS.test(name) && !within('protocol').test(name),
    instead: 'move what both sides need into protocol/, and leave the rest where it is used',
  },
  {
    rule: 'the simulator knows the hub by the protocol alone',
    files: (path) => within('simulator').test(path),
    forbidden: (name) => OURS.test(name) && !within('simulator', 'protocol').test(name),
    instead: 'talk to the hub over MQTT and HTTP, and share only what is in protocol/',
  },
  {
    rule: 'the server does not know the simulator',
    files: (path) => within('server').test(path),
    forbidden: (name) => within('simulator', 'test').test(name),
    instead: 'move what both sides need into protocol/',
  },
  {
    rule: 'nouns and verbs know no framework, driver or adapter',
    files: isPure,
    forbidden: (name) =>
      packages('hono', '@hono/[^/]+', 'drizzle-orm', 'better-sqlite3', 'aedes').test(name) ||
      within('server/http', 'server/storage', 'server/mqtt').test(name),
    instead: "say it in the noun's ports.ts; http.ts, mqtt.ts or server/storage adapts it",
  },
  {
    rule: 'nouns and verbs do not know how they are put on a wire',
    files: isPure,
    forbidden: (name) => NOUNS.test(name) && ADAPTER.test(name),
    instead: 'take a type of the noun; the adapter imports the noun, not the other way round',
  },
  {
    rule: 'only hub.ts, cli/workspace.ts and storage itself know a storage engine',
    files: (path) =>
      within('server').test(path) &&
      !within('server/storage').test(path) &&
      !['server/hub.ts', 'server/operate/cli/workspace.ts'].includes(path),
    forbidden: (name) => STORAGE_ENGINE.test(name),
    instead: 'take the port (server/storage/ports.ts) as a parameter; hub.ts opens the engine',
  },
]

interface TextRule {
  rule: string
  files: (path: string) => boolean
  forbidden: RegExp
  instead: string
}

const TEXT_RULES: TextRule[] = [
  {
    rule: 'nouns and verbs take time and settings as parameters',
    files: isPure,
    forbidden: /\bprocess\.env\b|\bDate\.now\b|\bnew Date\(\)|\bsetTimeout\b|\bsetInterval\b/,
    instead: 'use the Clock that is passed in, and settings that config.ts has read',
  },
  {
    rule: 'only main.ts and cli/ read the environment and the arguments',
    files: (path) =>
      within('server').test(path) && path !== 'server/main.ts' && !within('server/operate/cli').test(path),
    forbidden: /\bprocess\.(env|argv)\b/,
    instead: 'read it in server/main.ts or server/operate/cli, through config.ts, and pass it on',
  },
  {
    rule: 'what is secret is compared in constant time',
    files: (path) => within('server', 'protocol').test(path) && path !== 'server/security/vault.ts',
    forbidden: /\.equals\(|\bBuffer\.compare\(/,
    instead: 'use isSame of server/security/vault.ts, or timingSafeEqual',
  },
  {
    rule: "only the simulator's main files read the environment and the arguments",
    files: (path) => within('simulator').test(path) && !/\/main\.tsx?$/.test(path),
    forbidden: /\bprocess\.(env|argv)\b/,
    instead: 'read it in main.ts and pass it on',
  },
  {
    rule: 'the protocol reads neither time nor settings',
    files: (path) => within('protocol').test(path) && path !== 'protocol/conformance/main.ts',
    forbidden: /\bprocess\.(env|argv)\b|\bDate\.now\b/,
    instead: 'take the value as a parameter',
  },
]

function forbiddenImports({ files, forbidden, instead }: ImportRule, all: SourceFile[]): string[] {
  return all
    .filter(({ path }) => files(path))
    .flatMap(({ path, imports }) =>
      imports.filter(forbidden).map((name) => `${path} imports ${name}: ${instead}`),
    )
}

function forbiddenText({ files, forbidden, instead }: TextRule, all: SourceFile[]): string[] {
  return all
    .filter(({ path }) => files(path))
    .flatMap(({ path, text }) => {
      const used = forbidden.exec(text)?.[0]
      return used === undefined ? [] : [`${path} uses ${used}: ${instead}`]
    })
}

describe('imports go one way', () => {
  it.each(IMPORT_RULES)('$rule', (rule) => {
    expect(
      sources.some(({ path }) => rule.files(path)),
      'the rule looks at some file',
    ).toBe(true)
    expect(forbiddenImports(rule, sources)).toEqual([])
  })

  it.each(TEXT_RULES)('$rule', (rule) => {
    expect(
      sources.some(({ path }) => rule.files(path)),
      'the rule looks at some file',
    ).toBe(true)
    expect(forbiddenText(rule, sources)).toEqual([])
  })
})

describe('the rules', () => {
  it.each([
    { path: 'protocol/keys.ts', line: "import { x } from '../server/platform/errors.ts'" },
    { path: 'simulator/run/demo/main.ts', line: "const hub = await import('../../server/hub.ts')" },
    { path: 'simulator/screen/app.tsx', line: "import '../../server/clock.ts'" },
    { path: 'server/hub.ts', line: "export * from '../simulator/platform/clock.ts'" },
    { path: 'server/payments/settle.ts', line: "import type { z } from '@hono/zod-openapi'" },
    { path: 'server/payments/settle.ts', line: "import { eq } from 'drizzle-orm/sqlite-core'" },
    { path: 'server/stores/update-store.ts', line: "import type { changeDto } from './dto.ts'" },
    { path: 'server/delivery/session/session.ts', line: "import {\n  a,\n  b,\n} from '../mqtt/broker.ts'" },
    { path: 'server/verbs.ts', line: "import { openSqliteStorage } from './storage/sqlite/storage.ts'" },
  ])('catch $path with: $line', ({ path, line }) => {
    const planted = [{ path, text: line, imports: importsOf(path, line) }]
    const found = IMPORT_RULES.flatMap((rule) => forbiddenImports(rule, planted))
    expect(found).not.toEqual([])
    for (const message of found) expect(message).toMatch(new RegExp(`^${path} imports .+: .+`))
  })

  it.each([
    { path: 'server/payments/settle.ts', text: 'const at = Date.now()' },
    { path: 'server/http/app.ts', text: 'const port = process.env.PORT' },
    { path: 'simulator/run/cli/cli.ts', text: 'const [, , serial] = process.argv' },
    { path: 'server/devices/verification-code.ts', text: 'if (hash.equals(presented)) return' },
  ])('catch $path with: $text', ({ path, text }) => {
    const found = TEXT_RULES.flatMap((rule) => forbiddenText(rule, [{ path, text, imports: [] }]))
    expect(found).not.toEqual([])
    for (const message of found) expect(message).toMatch(new RegExp(`^${path} uses .+: .+`))
  })

  it.each([
    { path: 'server/payments/http.ts', line: "import { z } from '@hono/zod-openapi'" },
    { path: 'server/payments/dto.ts', line: "import * as field from '../http/fields.ts'" },
    { path: 'server/stores/to-dto.ts', line: "import type { storeDto } from '../http/schemas.ts'" },
    {
      path: 'server/storage/sqlite/schema/schema.ts',
      line: "import { text } from 'drizzle-orm/sqlite-core'",
    },
    { path: 'simulator/speaker/speaker.ts', line: "import { openFrame } from '../protocol/frame.ts'" },
  ])('let pass $path with: $line', ({ path, line }) => {
    const planted = [{ path, text: line, imports: importsOf(path, line) }]
    expect(IMPORT_RULES.flatMap((rule) => forbiddenImports(rule, planted))).toEqual([])
  })
})

it(`no file is longer than ${LONGEST_FILE} lines, but migrations and what is generated`, () => {
  const files = globSync(
    FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx,json,sql}`),
    {
      cwd: ROOT,
      exclude: ['**/migrations/**', '**/vectors/**', 'protocol/asyncapi.json', '**/headless.schema.json'],
    },
  )
  const long = files.flatMap((path) => {
    const lines = readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1
    return lines > LONGEST_FILE ? [`${path} has ${lines} lines: split it by meaning`] : []
  })
  expect(long).toEqual([])
})
