/** Keeps the screen on while the page is visible. The browser ends the lock whenever the page is hidden. */
export function keepScreenOn(): void {
  const ask = () => {
    // The browser refuses while the battery is low: then the screen goes dark as it does without.
    if (document.visibilityState === 'visible') navigator.wakeLock?.request('screen').catch(() => {})
  }
  document.addEventListener('visibilitychange', ask)
  ask()
}

/** Lets the page open without network, and be installed. Without it, the page only needs the network to open. */
export function keepFiles(worker: string, scope: string): void {
  navigator.serviceWorker?.register(worker, { scope, updateViaCache: 'none' }).catch(() => {})
}

/** Asks the browser not to delete the speaker's memory when it needs room. */
export function keepMemory(): void {
  navigator.storage?.persist?.().catch(() => {})
}
