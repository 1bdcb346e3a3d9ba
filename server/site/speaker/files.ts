import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Asset, asset } from '../assets.ts'
import { bundleScripts } from '../bundle.ts'
import { speakerPage } from './page.ts'

const ours = (path: string) => fileURLToPath(new URL(path, import.meta.url))
/** By their paths: the server imports nothing of the simulator. */
const ENTRIES = ['simulator/browser/speaker.ts', 'simulator/browser/platform/clock-worker.ts']
const CLIPS = ours('../../../simulator/sound/pack')

export const SERVICE_WORKER = 'service-worker.js'
const STATIC = ['speaker.css', 'manifest.webmanifest', 'icon-192.png', 'icon-512.png']

/** The files under `/speaker/` by name; the page itself has an empty one. */
export async function speakerFiles(): Promise<ReadonlyMap<string, Asset>> {
  const [page, clips, scripts, worker, ...read] = await Promise.all([
    speakerPage(),
    readClips(),
    bundleScripts(ENTRIES),
    readFile(ours(SERVICE_WORKER), 'utf8'),
    ...STATIC.map((name) => readFile(ours(name))),
  ])
  const files = new Map([
    ['', asset('page.html', page)],
    ['clips.json', asset('clips.json', clips)],
    ...STATIC.map((name, index) => [name, asset(name, read[index] ?? '')] as const),
    ...[...scripts].map(([name, text]) => [name, asset(name, text)] as const),
  ])
  return files.set(SERVICE_WORKER, asset(SERVICE_WORKER, serviceWorker(worker, files)))
}

/** Names the files that the page needs without network. Another file of the hub gives another worker. */
function serviceWorker(program: string, files: ReadonlyMap<string, Asset>): string {
  const paths = [...files.keys()].map((name) => (name === '' ? '/speaker' : `/speaker/${name}`))
  const version = createHash('sha256')
    .update([...files.values()].map(({ etag }) => etag).join())
    .digest('base64url')
  return `const FILES = ${JSON.stringify(paths)}\nconst VERSION = '${version}'\n${program}`
}

/** All clips in one file, because each request counts: WAV in base64url, by language and clip. */
async function readClips(): Promise<string> {
  const folders = (await readdir(CLIPS, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  const languages = folders.map(async ({ name: language }) => {
    const names = (await readdir(join(CLIPS, language))).filter((name) => name.endsWith('.wav')).sort()
    const clips = names.map(
      async (name) =>
        [
          basename(name, '.wav'),
          (await readFile(join(CLIPS, language, name))).toString('base64url'),
        ] as const,
    )
    return [language, Object.fromEntries(await Promise.all(clips))] as const
  })
  return JSON.stringify(Object.fromEntries(await Promise.all(languages)))
}
