// The hub writes FILES and VERSION above this line. FILES are the page's own files: nothing else passes here, and
// nothing of the API is ever kept.
const CACHE = `speaker-${VERSION}`

/** How long the hub may take to begin an answer before a file comes from the cache. */
const PATIENCE_MS = 5_000

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' }))))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith('speaker-') && name !== CACHE)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  )
})

/** The network first, so that an update of the hub is there at the next load. The cache holds files of one version. */
self.addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url)
  if (event.request.method !== 'GET' || origin !== self.location.origin || !FILES.includes(pathname)) return
  event.respondWith(fresh(event.request, pathname))
})

async function fresh(request, pathname) {
  const kept = await (await caches.open(CACHE)).match(pathname)
  if (!kept) return fetch(request)
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS)
  try {
    const response = await fetch(request, { signal: patience.signal })
    return response.ok ? response : kept
  } catch {
    return kept
  } finally {
    // An answer that has begun may take its time.
    clearTimeout(timer)
  }
}
