import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Asset, asset, POLICY, readAssets } from '../asset.ts'
import { speakerPage } from './page.ts'

const ours = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/** By their paths: the server imports nothing of the simulator. */
const SCRIPTS = ['simulator/browser/speaker.ts', 'simulator/browser/platform/clock-worker.ts']
const CLIPS = ours('../../../simulator/sound/pack')
const SERVICE_WORKER = 'service-worker.js'
const STATIC = ['speaker.css', 'manifest.webmanifest', 'icon-192.png', 'icon-512.png']

/** The page connects to its own hub alone: `'self'` holds for `/mqtt`, too. */
const PAGE = [
  ...POLICY,
  "style-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
].join('; ')
/** The service worker fetches the page's files. */
const WORKER = "default-src 'none'; connect-src 'self'"
const FEATURES =
  'autoplay=(self), fullscreen=(self), screen-wake-lock=(self), camera=(), microphone=(), geolocation=(), payment=()'

/** The files under `/speaker/` by name; the page itself has an empty one. */
export async function speakerFiles(): Promise<ReadonlyMap<string, Asset>> {
  const [page, clips, worker, read] = await Promise.all([
    speakerPage(),
    readClips(),
    readFile(ours(SERVICE_WORKER), 'utf8'),
    readAssets(Object.fromEntries(STATIC.map((name) => [name, ours(name)])), SCRIPTS),
  ])
  const files = new Map([
    ['', asset('page.html', page, PAGE, { 'Permissions-Policy': FEATURES })],
    ['clips.json', asset('clips.json', clips)],
    ...read,
  ])
  // The worker lies in a folder below the page that it serves.
  const allowed = { 'Service-Worker-Allowed': '/speaker' }
  return files.set(SERVICE_WORKER, asset(SERVICE_WORKER, serviceWorker(worker, files), WORKER, allowed))
}

/** Names the files that the page needs without network. Another file of the hub gives another worker. */
function serviceWorker(program: string, files: ReadonlyMap<string, Asset>): string {
  const paths = [...files.keys()].map((name) => (name === '' ? '/speaker' : `/speaker/${name}`))
  const version = createHash('sha256')
    .update([...files.values()].map(({ headers }) => headers.ETag).join())
    .digest('base64url')
  return `const FILES = ${JSON.stringify(paths)}\nconst VERSION = '${version}'\n${program}`
}

/** All clips in one file, because each request counts: WAV in base64url, by language and clip. */
async function readClips(): Promise<string> {
  const clips: Record<string, Record<string, string>> = {}
  const names = (await readdir(CLIPS, { recursive: true })).filter((name) => name.endsWith('.wav'))
  for (const name of names.sort()) {
    const [language = '', clip = ''] = name.slice(0, -'.wav'.length).split(sep)
    clips[language] = {
      ...clips[language],
      [clip]: (await readFile(join(CLIPS, name))).toString('base64url'),
    }
  }
  return JSON.stringify(clips)
}
