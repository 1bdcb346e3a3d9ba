/*
 * Preloaded into a process whose memory is measured, beside `--expose-gc`: asked for it, it collects its garbage and
 * tells what it still holds. Without that, garbage of the connecting would count as memory of the connected.
 */
process.on('message', () => {
  // Twice: what the first run finds dead may hold on to more.
  globalThis.gc?.()
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
