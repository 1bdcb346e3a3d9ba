import { inspect } from 'node:util'
import type { Addresses } from './listeners.ts'
import { systemClock } from './platform/clock.ts'
import { enableImportCache } from './platform/compile-cache.ts'
import { OperatorError } from './platform/errors.ts'

/**
 * One Ctrl+C sends SIGINT twice: from the terminal and from npm. A second signal within this time is ignored; a later
 * one ends the process at once.
 */
const SAME_SIGNAL_MS = 1_000

/** The process of the hub: settings, signals, exit codes. */
async function main() {
  const stopping = new AbortController()
  const signalled = watchSignals(stopping)
  enableImportCache()
  const [
    { readConfig, unknownSettings },
    { createRandomIds },
    { createLog },
    { startHub },
    { openThreadedStorage },
  ] = await Promise.all([
    import('./platform/config.ts'),
    import('./platform/ids.ts'),
    import('./platform/log.ts'),
    import('./hub.ts'),
    import('./storage/writer/storage.ts'),
  ])
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  for (const unknown of unknownSettings(process.env)) log.warn(unknown)
  const hub = await startHub(config, {
    clock: systemClock,
    ids: createRandomIds(),
    log,
    openStorage: openThreadedStorage,
    stopping: stopping.signal,
  }).catch((error: unknown) => {
    if (stopping.signal.aborted) process.exit(0)
    throw error
  })
  if (!stopping.signal.aborted) writeReadyLine(hub)

  log.info({ signal: await signalled }, 'stopping')
  await hub.stop().catch((error: unknown) => {
    log.fatal({ err: error }, 'could not stop cleanly')
    process.exit(1)
  })
  process.exit(0)
}

/** Resolves with the first signal to stop, which also aborts `stopping`. */
function watchSignals(stopping: AbortController): Promise<string> {
  return new Promise((resolve) => {
    let since: number | undefined
    const stop = (signal: string) => {
      if (since !== undefined) {
        if (systemClock.elapsed() - since > SAME_SIGNAL_MS) process.exit(1)
        return
      }
      since = systemClock.elapsed()
      stopping.abort()
      resolve(signal)
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

function writeReadyLine({ http, mqtt, mqtts, box, boxTls, admin }: Addresses) {
  const ready = { event: 'ready', http, mqtt, mqtts, box, boxTls, admin }
  const boxes = [box, boxTls].filter(Boolean).join(' and ')
  const sentence = `Soundbox Hub is ready: API ${http}, documentation ${http}/docs, speakers ${[mqtt, mqtts].filter(Boolean).join(' and ')},${boxes && ` boxes ${boxes},`} figures ${admin}/metrics`
  process.stdout.write(`${process.stdout.isTTY ? sentence : JSON.stringify(ready)}\n`)
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`)
  process.exit(1)
})
