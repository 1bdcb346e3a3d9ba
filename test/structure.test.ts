import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RULES } from './support/structure/rules.ts'
import {
  importsOf,
  ROOT,
  readSources,
  type SourceFile,
  withoutComments,
} from './support/structure/sources.ts'

const FOLDERS = ['protocol', 'server', 'simulator', 'test']
/** A longer file has several meanings. */
const LONGEST_FILE = 300
/** A source file as a test plants it. */
function planted(path: string, text: string): SourceFile {
  return { path, text: withoutComments(text), imports: importsOf(path, withoutComments(text)) }
}

const SOURCES = readSources([...FOLDERS, 'clients'])

it.each(Object.entries(RULES))('%s', (_, rule) => {
  expect(rule(SOURCES)).toEqual([])
})

/** Files that break a rule. */
const VIOLATIONS: [rule: string, ...files: [path: string, text: string][]][] = [
  ['every folder of the server has a place in the order', ['server/news/news.ts', '']],
  ['every folder of the server has a place in the order', ['server/storage/writer/deep/x.ts', '']],
  ['imports point to folders before their own', ['protocol/keys.ts', "import '../server/platform/ids.ts'"]],
  [
    'imports point to folders before their own',
    ['server/storage/writer/a.ts', "import { x } from '../../delivery/x.ts'"],
  ],
  [
    'imports point to folders before their own',
    ['server/stores/a.ts', "import type { Screens } from '../devices/ports.ts'"],
  ],
  [
    'imports point to folders before their own',
    ['server/http/guards/a.ts', "import type { C } from '../../payments/http.ts'"],
  ],
  [
    'imports point to folders before their own',
    ['server/mqtt/a.ts', "const hub = await import('../hub.ts')"],
  ],
  [
    'imports point to folders before their own',
    ['server/storage/sqlite/a.ts', "new Worker(new URL('../writer/worker.ts', import.meta.url))"],
  ],
  [
    'no rooms import each other in a circle',
    ['server/http/app.ts', "import { paymentRoutes } from '../payments/http.ts'"],
    ['server/payments/http.ts', "import { endpoint } from '../http/guards/endpoint.ts'"],
  ],
  [
    'no rooms import each other in a circle',
    ['simulator/main.ts', "import { run } from './run/cli/cli.ts'"],
    ['simulator/run/cli/cli.ts', "import type { Run } from '../../main.ts'"],
  ],
  [
    'no files import each other in a circle',
    ['protocol/a.ts', "import type { B } from './b.ts'"],
    ['protocol/b.ts', "const a = await import('./a.ts')"],
  ],
  [
    'no files import each other in a circle',
    ['clients/node/a.ts', "export * from './b.ts'"],
    ['clients/node/b.ts', "import {\n  type A,\n} from './a.ts'"],
  ],
  [
    'no files import each other in a circle',
    ['simulator/speaker/connection/session.ts', "import { lineOf } from '#line'"],
    ['simulator/speaker/connection/line/node.ts', "import type { Will } from '../session.ts'"],
  ],
  [
    'no folders import each other in a circle',
    ['simulator/a/x.ts', "export * from '../b/x.ts'"],
    ['simulator/b/x.ts', "import {\n  y,\n} from '../c/y.ts'"],
    ['simulator/c/y.ts', "import type { Z } from '../a/z.ts'"],
  ],
  [
    'no folders import each other in a circle',
    ['server/mqtt/a.ts', "import '../storage/b.ts'"],
    ['server/storage/b.ts', "import '../mqtt/a.ts'"],
  ],
  [
    'no folder has too many loose files',
    ...Array.from({ length: 16 }, (_, n): [string, string] => [`server/payments/${n}.ts`, '']),
  ],
  [
    'the protocol and the server know neither simulator nor tests',
    ['server/hub.ts', "export * from '../simulator/speaker/clock.ts'"],
  ],
  [
    'the protocol and the speaker run in a page: they import nothing of Node.js',
    ['protocol/money/vi.ts', "import { hash } from 'node:crypto'"],
  ],
  [
    'the protocol and the speaker run in a page: they import nothing of Node.js',
    ['simulator/speaker/connection/session.ts', "import { lineOf } from './line/node.ts'"],
  ],
  [
    'the protocol and the speaker run in a page: they import nothing of Node.js',
    ['simulator/speaker/feed.ts', "import type { Host } from '../platform/host.ts'"],
  ],
  [
    'the protocol and the speaker run in a page: they import nothing of Node.js',
    ['simulator/sound/join.ts', "import { loadPack } from './pack.ts'"],
  ],
  [
    'the protocol and the speaker run in a page: they import nothing of Node.js',
    ['simulator/browser/view/view.ts', "import { lightsOf } from '../../screen/device/indicators.ts'"],
  ],
  [
    'the protocol and the speaker run in a page: they use no global of Node.js',
    ['simulator/speaker/device/rekey.ts', "const key = Buffer.from(text, 'base64url')"],
  ],
  ['the simulator knows the hub by the protocol alone', ['simulator/a.tsx', "import '../server/hub.ts'"]],
  [
    'nouns, delivery and storage know nothing of sb/1',
    ['server/payments/dto.ts', "import { x } from '../../protocol/messages/fields.ts'"],
  ],
  [
    'nouns, delivery and storage know nothing of sb/1',
    ['server/delivery/session/a.ts', "import { seal } from '../../../protocol/frame.ts'"],
  ],
  [
    'nouns, delivery and storage know nothing of sb/1',
    ['server/storage/sqlite/rows/a.ts', "import type { B } from '../../../dialects/sb1/birth.ts'"],
  ],
  [
    'nouns and delivery know no framework or driver',
    ['server/payments/settle.ts', "import { eq } from 'drizzle-orm/sqlite-core'"],
  ],
  [
    'nouns and delivery know no framework or driver',
    ['server/stores/to.ts', "import type { z } from '@hono/zod-openapi'"],
  ],
  [
    'only the adapters of nouns, and what is after all nouns, know HTTP',
    ['server/stores/a.ts', "import type { changeDto } from './dto.ts'"],
  ],
  [
    'only the adapters of nouns, and what is after all nouns, know HTTP',
    ['server/delivery/a.ts', "import type { HttpEnv } from '../http/response/env.ts'"],
  ],
  [
    'only what opens the database knows a storage engine',
    ['server/verbs.ts', "import { open } from './storage/sqlite/storage.ts'"],
  ],
  [
    'only what opens the database knows a storage engine',
    ['server/http/a.ts', "import { open } from '../storage/writer/storage.ts'"],
  ],
  [
    'only core.ts puts the parts of the hub together',
    ['test/support/api.ts', "import { createGate } from '../../server/mqtt/gate.ts'"],
  ],
  [
    'a start loads no console and no parser of statements',
    ['server/hub.ts', "import { createConsole } from './console/app.ts'"],
  ],
  [
    'a start loads no console and no parser of statements',
    ['server/reconciliation/worker/a.ts', "import { type Reading, readFile } from '../formats/read-file.ts'"],
  ],
  ['nouns and delivery take time and settings as parameters', ['server/devices/a.ts', 'Date.now()']],
  ['nouns and delivery take time and settings as parameters', ['server/delivery/a.ts', 'setImmediate(x)']],
  ['nouns and delivery take time and settings as parameters', ['server/payments/a.ts', 'performance.now()']],
  ['nouns and delivery take time and settings as parameters', ['server/stores/a.ts', 'process.env.X']],
  [
    'only the main files and the command line read the environment and the arguments',
    ['server/app/app.ts', 'const port = process.env.PORT'],
  ],
  [
    'a client has nothing of ours and of Node.js: partners install it alone',
    ['clients/typescript/src/a.ts', "import { createHmac } from 'node:crypto'"],
  ],
  [
    'a client has nothing of ours and of Node.js: partners install it alone',
    ['clients/typescript/src/a.ts', "import { hash } from '../../../protocol/keys.ts'"],
  ],
  ['secrets are compared in constant time', ['server/devices/a.ts', 'if (hash.equals(presented)) return']],
  ['the protocol reads neither time nor settings', ['protocol/keys.ts', 'const at = Date.now()']],
]

it('every rule has a planted violation', () => {
  expect(new Set(VIOLATIONS.map(([rule]) => rule))).toEqual(new Set(Object.keys(RULES)))
})

it.each(VIOLATIONS)('finds a violation: %s', (rule, ...files) => {
  const found = RULES[rule]?.(files.map(([path, text]) => planted(path, text)))
  expect(found).not.toEqual([])
  for (const sentence of found ?? []) expect(sentence).toMatch(/^\S+ .+: .+/)
})

it('names the imports of the shortest circle that a wrong import closes, and nothing that leads to it', () => {
  const files: [path: string, text: string][] = [
    ['server/mqtt/start.ts', "import './a.ts'"],
    ['server/mqtt/a.ts', "import type { B } from './b.ts'\nimport { x } from './x.ts'"],
    ['server/mqtt/x.ts', "import type { B } from './b.ts'"],
    ['server/mqtt/b.ts', "import { c } from './c.ts'\nimport './end.ts'"],
    ['server/mqtt/c.ts', "import type { A } from './a.ts'"],
    ['server/mqtt/end.ts', ''],
  ]
  const found = RULES['no files import each other in a circle']?.(files.map((file) => planted(...file)))
  expect(found).toEqual([
    'server/mqtt/a.ts imports server/mqtt/b.ts, server/mqtt/b.ts imports server/mqtt/c.ts, server/mqtt/c.ts imports server/mqtt/a.ts: ' +
      'move what both need, be it a type, to the file that comes first, or to one of its own',
  ])
})

it.each([
  ['server/payments/http.ts', "import { z } from '@hono/zod-openapi'"],
  ['server/payments/dto.ts', "import * as field from '../http/openapi/fields.ts'"],
  ['server/devices/http.ts', "import { toStoreDto } from '../stores/dto.ts'"],
  ['server/payments/settle.ts', "import { planAnnouncements } from '../announcements/announcement.ts'"],
  ['server/dialects/sb1/write.ts', "import { sealFrame } from '../../../protocol/frame.ts'"],
  ['server/storage/sqlite/schema/migrate.ts', "import { readMigrationFiles } from 'drizzle-orm/migrator'"],
  ['simulator/speaker/speaker.ts', "import { openFrame } from '../../protocol/frame.ts'"],
  ['server/devices/code.ts', '// Date.now() is not used\nconst at = clock.now()'],
])('no rule forbids: %s %s', (path, text) => {
  expect(Object.values(RULES).flatMap((rule) => rule([planted(path, text)]))).toEqual([])
})

it(`no file is longer than ${LONGEST_FILE} lines, except migrations and generated files`, () => {
  const files = globSync(
    FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx,json,sql}`),
    {
      cwd: ROOT,
      exclude: [
        ...['**/migrations/**', '**/vectors/**', '**/package-lock.json'],
        ...['protocol/asyncapi.json', '**/*.schema.json', '**/dashboard.json'],
      ],
    },
  )
  const long = files.flatMap((path) => {
    const lines = readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1
    return lines > LONGEST_FILE ? [`${path} has ${lines} lines: split it by meaning`] : []
  })
  expect(long).toEqual([])
})
