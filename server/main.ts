import { inspect } from 'node:util'
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
  enableImportCache()
  const [{ readConfig }, { createRandomIds }, { createLog }, { startHub }, { openThreadedStorage }] =
    await Promise.all([
      import('./platform/config.ts'),
      import('./platform/ids.ts'),
      import('./platform/log.ts'),
      import('./hub.ts'),
      import('./storage/writer/storage.ts'),
    ])
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  const hub = await startHub(config, {
    clock: systemClock,
    ids: createRandomIds(),
    log,
    openStorage: openThreadedStorage,
  })

  let stoppingSince: number | undefined
  const stop = (signal: string) => {
    if (stoppingSince !== undefined) {
      if (systemClock.elapsed() - stoppingSince > SAME_SIGNAL_MS) process.exit(1)
      return
    }
    stoppingSince = systemClock.elapsed()
    log.info({ signal }, 'stopping')
    hub.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)

  // Print the ready line last: a program that waits for it may send a signal at once.
  const { http, mqtt, mqtts } = hub
  const ready = { event: 'ready', http, mqtt, ...(mqtts !== undefined && { mqtts }) }
  const sentence = `Soundbox Hub is ready: API ${http}, documentation ${http}/docs, speakers ${[mqtt, mqtts].filter(Boolean).join(' and ')}`
  process.stdout.write(`${process.stdout.isTTY ? sentence : JSON.stringify(ready)}\n`)
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`)
  process.exit(1)
})
