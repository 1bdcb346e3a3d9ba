import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Description } from './description.ts'
import { operationsText } from './operations-text.ts'
import { fingerprintOf, stamp } from './stamp.ts'
import { typesInput } from './types-input.ts'

/**
 * Writes src/generated/ from an OpenAPI document: from the file that is named, or else from a hub that it starts. The types
 * are made by openapi-typescript, which `npm ci` in this package installs.
 */

const fileOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const OPTIONS = [
  ...['--root-types', '--root-types-no-schema-prefix', '--root-types-keep-casing'],
  // A field with a default may be left out of a request.
  ...['--default-non-nullable', 'false'],
]

/** openapi-typescript writes these also when there are none. */
const EMPTY = /^export type (paths|webhooks|operations|\$defs) = Record<string, never>;\n/gm

const [named] = process.argv.slice(2)
const description: Description = JSON.parse(named === undefined ? await ofHub() : readFileSync(named, 'utf8'))
const fingerprint = fingerprintOf(description)
const write = (name: string, text: string) =>
  writeFileSync(fileOf(`src/generated/${name}.ts`), stamp(fingerprint) + text)
write('types', types())
write('operations', operationsText(description))

function types(): string {
  const folder = mkdtempSync(join(tmpdir(), 'soundbox-client-'))
  try {
    const [input, output] = [join(folder, 'in.json'), join(folder, 'out.ts')]
    writeFileSync(input, JSON.stringify(typesInput(description)))
    const program = fileOf('node_modules/.bin/openapi-typescript')
    const ended = spawnSync(process.execPath, [program, input, '--output', output, ...OPTIONS], {
      encoding: 'utf8',
    })
    if (ended.status !== 0) throw new Error(`openapi-typescript: ${ended.stdout}${ended.stderr}`)
    return readFileSync(output, 'utf8').replaceAll(EMPTY, '')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a hub of this checkout serves. */
async function ofHub(): Promise<string> {
  const { startHubProcess } = await import('../../../simulator/run/hub/hub-process.ts')
  const hub = await startHubProcess(process.env)
  try {
    return await (await fetch(`${hub.http}/openapi.json`)).text()
  } finally {
    await hub.stop()
  }
}
