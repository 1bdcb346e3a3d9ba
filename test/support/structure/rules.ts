import { dirname } from 'node:path'
import { circlesOf } from './circles.ts'
import { SEAMS, type SourceFile } from './sources.ts'

/** A folder with more files of its own needs subfolders. */
const MOST_LOOSE_FILES = 15
/** Folders that may have more, each with the reason. */
const LARGE_FOLDERS = new Map([
  ['protocol/messages', 'one file for each message of the protocol'],
  ['server/operate/cli', 'one file for each command'],
])

const NOUN =
  '(operators|partners|stores|devices|settings|announcements|payments|reconciliation|events|webhooks|idempotency)'
/** The files of a noun that translate between it and HTTP. */
const ADAPTER = new RegExp(`^server/${NOUN}/(http|dto|examples)\\.ts$`)

/**
 * The folders of protocol/ and server/ from the inside to the outside. A file may import from its own folder and from
 * those before it. `/**` stands for a folder with its subfolders.
 */
const ORDER = [
  'protocol/**',
  'server/platform/**',
  'server/security',
  'server/idempotency',
  'server/http/response',
  'server/http/connections',
  'server/http/openapi/**',
  'server/http/errors',
  'server/http/guards',
  'server/http',
  'server/stores',
  'server/partners',
  'server/devices/**',
  'server/settings',
  'server/announcements',
  'server/payments/**',
  'server/reconciliation/model',
  'server/reconciliation/formats',
  'server/reconciliation/match',
  'server/reconciliation/**',
  'server/events',
  'server/webhooks/**',
  'server/operators',
  'server/storage',
  'server/storage/shared/**',
  'server/storage/acts/**',
  'server/storage/sqlite/**',
  'server/storage/postgres/**',
  'server/storage/writer',
  'server/storage/reader',
  'server/cluster/**',
  'server/delivery/session',
  'server/delivery',
  'server/dialects/**',
  'server/mqtt',
  'server/site/**',
  'server/app',
  'server/operate',
  'server/operate/cli',
  'server/console/**',
  'server',
]

/** The place of a folder in `ORDER`; -1 when it has none. */
function rankOf(folder: string): number {
  return ORDER.findLastIndex(
    (entry) => entry === folder || (entry.endsWith('/**') && `${folder}/`.startsWith(entry.slice(0, -2))),
  )
}

/** A folder of the top, with all that is in it. The loose files beside such folders count as one. */
function roomOf(path: string): string {
  const [top, room, ...rest] = path.split('/')
  return rest.length > 0 ? `${top}/${room}` : `${top}`
}

/** A file's folder. The adapters of a noun are above the rest of its folder, and count as one of their own. */
function folderOf(path: string): string {
  return ADAPTER.test(path) ? `the adapters of ${dirname(path)}` : dirname(path)
}

const within = (...folders: string[]) => new RegExp(`^(${folders.join('|')})(/|$)`)
const PRODUCT = within('protocol', 'server', 'simulator', 'clients')
/** What the package of a client is made of. */
const CLIENT = within('clients/[^/]+/src')
/** May know HTTP, besides the adapters of nouns. */
const KNOWS_HTTP = within('server/(http|site|app|operate|console)', 'server/[^/]+\\.ts')
const isPure = (path: string) => within(`server/${NOUN}`, 'server/delivery').test(path) && !ADAPTER.test(path)

/** What runs in a page too, but for the files that Node.js has of its own, each of which has a twin or stays behind. */
const ON_NODE = [
  'protocol/platform/node.ts',
  'simulator/speaker/connection/line/node.ts',
  'simulator/speaker/connection/line/delayed-stream.ts',
  'simulator/speaker/memory/file.ts',
  'simulator/speaker/memory/lock.ts',
]
const SHARED = within(
  'protocol',
  'simulator/speaker',
  'simulator/platform/(clock|error-text).ts',
  'simulator/sound/(audio|beep|chime|clip-lengths|join|mulaw|voice|wav).ts',
  'simulator/screen/display/words.ts',
  'simulator/screen/drawing/(clock-text|half-block|qr).ts',
  'simulator/browser',
)
const runsInPages = (path: string) =>
  SHARED.test(path) && !within('protocol/(generate|conformance)').test(path) && !ON_NODE.includes(path)
const BY_THE_SEAM = 'use #platform or #line of package.json, or what Node.js and browsers both have'

/** Finds what breaks a rule; each finding says what to do instead. */
type Rule = (sources: readonly SourceFile[]) => string[]

function importRule(
  files: (path: string) => boolean,
  forbidden: (imported: string, path: string) => boolean,
  instead: string,
): Rule {
  return (sources) =>
    sources
      .filter(({ path }) => files(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter((imported) => forbidden(imported, path))
          .map((imported) => `${path} imports ${imported}: ${instead}`),
      )
}

function textRule(files: (path: string) => boolean, forbidden: RegExp, instead: string): Rule {
  return (sources) =>
    sources
      .filter(({ path }) => files(path))
      .flatMap(({ path, text }) => {
        const used = forbidden.exec(text)?.[0]
        return used === undefined ? [] : [`${path} uses ${used}: ${instead}`]
      })
}

/** Finds groups of files of the product that import each other in a circle, types included. */
function circleRule(groupOf: (path: string) => string, instead: string): Rule {
  return (sources) => {
    const edges = sources
      .filter(({ path }) => PRODUCT.test(path))
      .flatMap(({ path, imports }) =>
        imports
          .flatMap((imported) => SEAMS.get(imported) ?? imported)
          .filter((imported) => PRODUCT.test(imported))
          .map((imported) => ({ path, imported, from: groupOf(path), to: groupOf(imported) })),
      )
      .filter(({ from, to }) => from !== to)
    return circlesOf(edges).map((circle) => {
      const imports = circle.map(({ path, imported }) => `${path} imports ${imported}`)
      return `${imports.join(', ')}: ${instead}`
    })
  }
}

function crowdedFolders(sources: readonly SourceFile[]): string[] {
  const folders = Map.groupBy(sources, ({ path }) => dirname(path))
  return [...folders].flatMap(([folder, { length }]) =>
    length > MOST_LOOSE_FILES && !LARGE_FOLDERS.has(folder)
      ? [`${folder} has ${length} loose files: group them in folders by meaning`]
      : [],
  )
}

export const RULES: Record<string, Rule> = {
  'every folder of the server has a place in the order': (sources) =>
    sources
      .filter(({ path }) => within('protocol', 'server').test(path) && rankOf(dirname(path)) < 0)
      .map(({ path }) => `${path} is in a folder without a place: add the folder to ORDER`),
  'imports point to folders before their own': importRule(
    (path) => within('protocol', 'server').test(path),
    (imported, path) => PRODUCT.test(imported) && rankOf(dirname(imported)) > rankOf(dirname(path)),
    'move what both need to a folder before both, or take a small type as a parameter',
  ),
  'no rooms import each other in a circle': circleRule(
    roomOf,
    'move what both rooms need into one before both',
  ),
  'no folders import each other in a circle': circleRule(
    folderOf,
    'move what both folders need into one before both',
  ),
  'no files import each other in a circle': circleRule(
    (path) => path,
    'move what both need, be it a type, to the file that comes first, or to one of its own',
  ),
  'no folder has too many loose files': (sources) =>
    crowdedFolders(sources.filter(({ path }) => PRODUCT.test(path))),
  'the protocol and the server know neither simulator nor tests': importRule(
    (path) => within('protocol', 'server').test(path),
    (imported) => within('simulator', 'test').test(imported),
    'move what both sides need into protocol/',
  ),
  'the protocol and the speaker run in a page: they import nothing of Node.js': importRule(
    runsInPages,
    (imported) => imported.startsWith('node:') || (PRODUCT.test(imported) && !runsInPages(imported)),
    BY_THE_SEAM,
  ),
  'the protocol and the speaker run in a page: they use no global of Node.js': textRule(
    runsInPages,
    /\b(Buffer|NodeJS|process|global|require|setImmediate|__dirname|__filename)\b/,
    BY_THE_SEAM,
  ),
  'the simulator knows the hub by the protocol alone': importRule(
    (path) => within('simulator').test(path),
    (imported) => within('server', 'test').test(imported),
    'talk to the hub over MQTT and HTTP, and share only what is in protocol/',
  ),
  'nouns, delivery and storage know nothing of sb/1': importRule(
    (path) => within(`server/${NOUN}`, 'server/delivery', 'server/storage').test(path),
    (imported) =>
      within('server/dialects').test(imported) ||
      imported === '#platform' ||
      /^protocol\/(messages\/|platform\/|frame\b|topics\b|keys\b)/.test(imported),
    'use the words of server/delivery/dialect.ts, or a type of the noun',
  ),
  'nouns and delivery know no framework or driver': importRule(
    isPure,
    (imported) => /^(hono|@hono\/[^/]+|drizzle-orm|better-sqlite3|pg|aedes)(\/|$)/.test(imported),
    "declare a port in the noun's ports.ts; http.ts, server/mqtt or server/storage adapts it",
  ),
  'only the adapters of nouns, and what is after all nouns, know HTTP': importRule(
    (path) => within('server').test(path) && !ADAPTER.test(path) && !KNOWS_HTTP.test(path),
    (imported) => ADAPTER.test(imported) || within('server/http').test(imported),
    'take a type of the noun; the adapter imports the noun',
  ),
  'only what opens the database knows a storage engine': importRule(
    (path) =>
      within('server').test(path) &&
      !within('server/storage', 'server/cluster/postgres').test(path) &&
      ![
        'server/hub.ts',
        'server/main.ts',
        'server/open-storage.ts',
        'server/open-postgres.ts',
        'server/operate/cli/workspace.ts',
      ].includes(path),
    (imported) =>
      /^(drizzle-orm|better-sqlite3|pg)(\/|$)/.test(imported) ||
      within('server/storage/(sqlite|postgres|writer)').test(imported),
    'take a port of server/storage/ports.ts as a parameter',
  ),
  'only core.ts puts the parts of the hub together': textRule(
    (path) =>
      path !== 'server/core.ts' && !within('test/structure.test.ts', 'test/support/structure').test(path),
    /import\s*\{[^}]*\b(createDelivery|createGate|createVerbs)\b/,
    'call createCore of server/core.ts; a test that replaces a part passes it to createCore',
  ),
  'a start loads no console and no parser of statements': textRule(
    (path) => /^server\/([^/]+|reconciliation\/(worker|match)\/[^/]+|reconciliation\/[^/]+)\.ts$/.test(path),
    /import (?!type\b)[^(;']*'\.{1,2}\/(console|formats\/(read-file|preview|csv|camt))\b[^']*'/,
    'import() it at its first use, or its types alone',
  ),
  'nouns and delivery take time and settings as parameters': textRule(
    isPure,
    /\bprocess\.env\b|\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bset(Timeout|Interval|Immediate)\b/,
    'use the Clock that is passed in, and settings that config.ts has read',
  ),
  'only the main files and the command line read the environment and the arguments': textRule(
    (path) =>
      within('server', 'simulator').test(path) &&
      !within('server/operate/cli').test(path) &&
      !/^server\/main\.ts$|^simulator\/.*main\.tsx?$/.test(path),
    /\bprocess\.(env|argv)\b/,
    'read it in main.ts and pass it on',
  ),
  'a client has nothing of ours and of Node.js: partners install it alone': importRule(
    (path) => CLIENT.test(path),
    (imported) => !CLIENT.test(imported),
    'write it in src/, with what browsers, Node.js, Deno and Bun all have',
  ),
  'secrets are compared in constant time': textRule(
    (path) => within('server', 'protocol').test(path) && path !== 'server/security/vault.ts',
    /\.equals\(|\bBuffer\.compare\(/,
    'use isSame of server/security/vault.ts, or timingSafeEqual',
  ),
  'the protocol reads neither time nor settings': textRule(
    (path) => within('protocol').test(path) && path !== 'protocol/conformance/main.ts',
    /\bprocess\.(env|argv)\b|\bDate\.now\b/,
    'take the value as a parameter',
  ),
}
