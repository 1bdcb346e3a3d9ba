import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'

const MAIN = fileURLToPath(new URL('../../../server/operate/cli/main.ts', import.meta.url))
/** 10,000 devices are 1 MB of output. */
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024

/** What `hub partner create --json` prints. */
export const credentials = z.object({ clientId: z.string(), clientSecret: z.string() })
export type Credentials = z.infer<typeof credentials>

/**
 * Runs the hub's command line on the data folder of `env`, with `--json`. Resolves with what it prints. `signal` ends it,
 * `input` is its standard input.
 */
export async function runHubCommand(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  { signal, input }: { signal?: AbortSignal; input?: string | undefined } = {},
): Promise<string> {
  const options = { env, maxBuffer: MOST_OUTPUT_BYTES, ...(signal && { signal }) }
  const running = promisify(execFile)(process.execPath, [MAIN, ...args, '--json'], options)
  running.child.stdin?.end(input)
  return (await running).stdout
}
