import { systemClock } from './platform/clock.ts'
import { quickenImports } from './platform/compile-cache.ts'
import { OperatorError } from './platform/errors.ts'

/** Ctrl+C reaches the hub from the terminal and again from npm: within this time it is one wish, later it is two. */
const SAME_SIGNAL_MS = 1_000

/** The process of the hub: settings, signals, exit codes. */
async function main() {
  quickenImports()
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

  // Said last: whoever waits for this line may send a signal at once.
  const { http, mqtt, mqtts } = hub
  const ready = { event: 'ready', http, mqtt, ...(mqtts !== undefined && { mqtts }) }
  const sentence = `Soundbox Hub is ready: API ${http}, documentation ${http}/docs, speakers ${[mqtt, mqtts].filter(Boolean).join(' and ')}`
  process.stdout.write(`${process.stdout.isTTY ? sentence : JSON.stringify(ready)}\n`)
}

main().catch((error: unknown) => {
  const known = error instanceof OperatorError
  process.stderr.write(`${known ? error.message : String(error instanceof Error ? error.stack : error)}\n`)
  process.exit(1)
})
