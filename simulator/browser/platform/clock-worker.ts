/** The worker of clock.ts: sends each id back after its time. */
addEventListener('message', ({ data: { id, delayMs } }: MessageEvent<{ id: number; delayMs: number }>) => {
  setTimeout(() => postMessage(id), delayMs)
})
