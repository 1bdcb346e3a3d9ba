import process from 'node:process'
import { CommanderError } from 'commander'
import { CannotStart, WrongUsage } from '../platform/errors.ts'
import { hostOf } from '../platform/host.ts'
import { MemoryError } from '../speaker/memory/memory.ts'
import { describeFirmware, firmwareOptionsOf } from './run/options.ts'
import { runFirmware } from './run/run.ts'

/** The process: arguments and exit codes. 0: switched off. 1: it can't start. 2: wrong usage. */
async function main(): Promise<number> {
  // React's development build keeps a measurement of each rendering for ever.
  process.env.NODE_ENV ??= 'production'
  const host = hostOf(process)
  try {
    const command = describeFirmware(host.env).allowExcessArguments(false).exitOverride()
    await runFirmware(firmwareOptionsOf(command.parse(process.argv), host.env), host)
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof MemoryError || error instanceof CannotStart)) throw error
    host.stderr.write(`${error.message}\n`)
    return error instanceof WrongUsage ? 2 : 1
  }
}

process.exitCode = await main()
