/*
 * Preloaded into the measured process, together with `--expose-gc`. On request it collects garbage and reports the live
 * memory. Without this, garbage from connecting would count as memory of the connected speakers.
 */
process.on('message', () => {
  // Twice: finalizers of the first collection may release more objects.
  globalThis.gc?.()
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
