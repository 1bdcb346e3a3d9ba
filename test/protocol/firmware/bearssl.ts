import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onceForRun } from '../../support/processes/once-for-run.ts'

export const MCU = fileURLToPath(new URL('../../../protocol/examples/c/mcu/', import.meta.url))
/** The source of BearSSL: `protocol/examples/c/mcu/tls/bearssl.sh` fetches it. */
const SOURCE = process.env.BEARSSL ?? ''

/** Why TLS of the firmware can't be built here; undefined when it can. */
export function missingForTls(): string | undefined {
  if (!existsSync(`${SOURCE}/inc/bearssl.h`))
    return 'BEARSSL names no folder with the source of BearSSL (protocol/examples/c/mcu/tls/bearssl.sh DIR)'
  for (const program of ['make', 'cc', 'openssl'])
    if (spawnSync(program, ['--version']).error) return `there is no ${program}`
  return undefined
}

/** The program that shows the TLS of the firmware on this machine, with the sanitizers; built once for a run. */
export async function builtTlsProbe(): Promise<string> {
  const folder = await onceForRun('tls-probe', (out) => {
    run('make', [
      '-s',
      '-j2',
      '-C',
      MCU,
      '-f',
      'tls/bearssl.mk',
      `BEARSSL=${SOURCE}`,
      `OUT=${out}`,
      `${out}/libbearssl.a`,
    ])
    const strict = ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion', '-Werror']
    const sources = ['tls/probe.c', 'tls/layer.c', 'tls/validity.c', 'tls/anchor.c', '../core/store.c'].map(
      (file) => `${MCU}${file}`,
    )
    run('cc', [
      ...[...strict, '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
      ...['-isystem', `${SOURCE}/inc`, `-I${MCU}`, `-I${MCU}../include`, '-o', `${out}/tls-probe`],
      ...[...sources, `${out}/libbearssl.a`],
    ])
  })
  return `${folder}/tls-probe`
}

function run(program: string, args: string[]) {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} has failed: ${error?.message ?? stderr}`)
}
