import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { CALLBACK } from '../callback.ts'
import { installClient } from '../clients/packed-client.ts'
import { temporaryFolder } from '../folder.ts'
import { type Running, start } from '../processes/process.ts'
import { until } from '../wait.ts'
import { fill, type Language, readSample } from './samples.ts'

/** The quickstart's processor in a language, in a folder of its own. */
export async function installProcessor(language: Language, values: Record<string, string>) {
  const folder = temporaryFolder()
  if (language.usesClient) await installClient(folder)
  for (const name of ['hub', 'processor'] as const)
    writeFileSync(join(folder, `${name}.${language.extension}`), fill(readSample(name, language), values))
  const launch = (...args: string[]) => {
    const command = [...language.run(`processor.${language.extension}`), ...args]
    return start('sh', ['-c', 'cd "$0" && exec "$@"', folder, ...command])
  }
  let running: Running | undefined
  let said = ''
  let kept = 0
  return {
    /** The transactions that were stored, in their order. */
    codes: [] as string[],
    async keep(count: number, changes: Partial<typeof CALLBACK> = {}) {
      const payments = Array.from({ length: count }, () => {
        kept += 1
        return {
          ...CALLBACK,
          ftCode: `FT-${language.extension}-${String(kept).padStart(3, '0')}`,
          ...changes,
        }
      })
      const process = launch('keep')
      process.child.stdin.end(payments.map((payment) => `${JSON.stringify(payment)}\n`).join(''))
      expect(await process.ended).toMatchObject({ code: 0, stderr: '' })
      if (changes.terminalID === undefined) this.codes.push(...payments.map(({ ftCode }) => ftCode))
    },
    run() {
      running = launch()
    },
    async kill() {
      said += running?.stderr() ?? ''
      running?.child.kill('SIGKILL')
      await running?.ended
    },
    waiting: () => readdirSync(join(folder, 'outbox')).length,
    /** Its process has ended, which it never does by itself. */
    hasEnded: () => running?.child.exitCode !== null,
    stopped: () => readdirSync(join(folder, 'stopped')).length,
    said: () => said + (running?.stderr() ?? ''),
    untilSaid(what: RegExp) {
      return until(`${what} in ${said}`, () => what.test(this.said()) || this.hasEnded())
    },
  }
}
