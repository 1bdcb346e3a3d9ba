import { messageOf } from '../platform/error-text.ts'
import { createClock } from './platform/clock.ts'
import { keepFiles, keepMemory, keepScreenOn } from './platform/presence.ts'
import { fetchPack, openOutput } from './platform/sound.ts'
import { openStore, type PageName, type Store } from './platform/store.ts'
import { type Device, MOST_SPEAKERS, type Reading, readFragment } from './provision/link.ts'
import { runUnit } from './unit.ts'
import { element } from './view/element.ts'
import { browserLanguage, pageWordsOf } from './view/page-words.ts'
import { askForLink, askToReplace, trouble } from './view/set-up.ts'

/** How often the countdowns and the words of a sentence are drawn. */
const REFRESH_MS = 200

const page = document.querySelector('main') ?? document.body

/**
 * The link that the page was opened with, taken out of the address bar and the way back at once: it has a key. No page
 * can take it out of the list of visits that the browser keeps.
 */
function takeFragment(): Reading | undefined {
  const reading = readFragment(location.hash)
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search)
  return reading
}

const same = (some: readonly Device[], others: readonly Device[]) =>
  JSON.stringify(some) === JSON.stringify(others)

/** Which speakers the page is: those of its link, or those that it was before. Asks where that is not clear. */
async function devicesOf(
  store: Store,
  name: PageName,
  given: Reading | undefined,
): Promise<readonly Device[]> {
  const stored = await store.devices(name)
  if (given === undefined && stored.length > 0) return stored
  const wanted = given && 'devices' in given ? given.devices : await askForLink(page, name, given)
  if (same(wanted, stored)) return stored
  const namesOf = (devices: readonly Device[]) => devices.map(({ serial }) => serial).join(', ')
  if (stored.length > 0 && !(await askToReplace(page, namesOf(stored), namesOf(wanted)))) return stored
  await store.setDevices(name, wanted)
  return wanted
}

function run(devices: readonly Device[], store: Store, most: number | undefined): void {
  const shown = devices.slice(0, most ?? 1)
  const output = openOutput({ mixes: shown.length > 1 })
  const pack = fetchPack('/speaker/clips.json')
  const clock = createClock('/speaker/clock-worker.js')
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/mqtt`
  const units = shown.map((device) =>
    runUnit({
      ...{ device, url, clock, store, output, pack, withHistory: most === undefined },
      ...(most === undefined && { onChange: (shop: string) => setTitle(shop || device.serial) }),
    }),
  )
  page.className = most === undefined ? 'one' : 'grid'
  page.replaceChildren(...units.map((unit) => unit.element))
  if (shown.length < devices.length)
    page.prepend(element('p', 'more', pageWordsOf(browserLanguage()).more(shown.length, devices.length)))
  setInterval(() => {
    for (const unit of units) unit.refresh()
  }, REFRESH_MS)
  window.addEventListener('pagehide', () => {
    for (const unit of units) unit.leave()
  })
  // A page that comes back from the browser's cache has said `bye`.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload()
  })
  keepScreenOn()
  keepMemory()
}

function setTitle(name: string): void {
  const title = `${name} · Soundbox`
  if (document.title !== title) document.title = title
}

/** How many speakers the address asks for; undefined for the page of one. */
function gridOf(search: string): number | undefined {
  const grid = new URLSearchParams(search).get('grid')
  if (grid === null) return undefined
  return Math.min(MOST_SPEAKERS, Math.max(1, Number.parseInt(grid, 10) || MOST_SPEAKERS))
}

async function open(): Promise<void> {
  const given = takeFragment()
  // Another link was opened in this page.
  window.addEventListener('hashchange', () => location.reload())
  // Without them two pages could be one speaker, or nothing would be kept.
  if (!window.isSecureContext || !('locks' in navigator)) return page.replaceChildren(trouble('insecure'))
  keepFiles('/speaker/service-worker.js', '/speaker')
  const many = given && 'devices' in given && given.devices.length > 1 ? given.devices.length : undefined
  // The next load of this address is the same page.
  if (many !== undefined && gridOf(location.search) === undefined)
    history.replaceState(null, '', `${location.pathname}?grid=${many}`)
  const most = gridOf(location.search)
  const store = await openStore()
  run(await devicesOf(store, most === undefined ? 'speaker' : 'grid', given), store, most)
}

open().catch((error: unknown) => page.replaceChildren(trouble('failed', messageOf(error))))
