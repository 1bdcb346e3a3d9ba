import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { createTestApi } from '../../../support/api.ts'
import { ROOT } from '../../../support/docs/markdown.ts'
import { temporaryFolder } from '../../../support/folder.ts'

/*
 * The generator needs an older TypeScript than the product, so the client has packages of its own, which npm installs from
 * its cache or its registry.
 */

const CLIENT = join(ROOT, 'clients/typescript')

it('the generated files of the client are what its generator makes, and its own compiler compiles it', async () => {
  const folder = temporaryFolder()
  const filter = (path: string) => !['node_modules', 'dist'].includes(basename(path))
  cpSync(CLIENT, folder, { recursive: true, filter })
  const run = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
    expect({ status, stdout, stderr }).toMatchObject({ status: 0 })
  }
  run('npm', 'ci', '--ignore-scripts', '--prefer-offline')
  writeFileSync(join(folder, 'openapi.json'), await createTestApi().text('/openapi.json'))
  run(process.execPath, 'generate/main.ts', 'openapi.json')
  for (const name of ['types', 'operations']) {
    const path = `src/generated/${name}.ts`
    expect(readFileSync(join(folder, path), 'utf8')).toBe(readFileSync(join(CLIENT, path), 'utf8'))
  }
  run('npm', 'pack')
})
