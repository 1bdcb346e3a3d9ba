import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/docs/markdown.ts'

interface Entry {
  version: string
  integrity?: string
  resolved?: string
  optional?: boolean
  os?: string | string[]
  cpu?: string | string[]
  bin?: Record<string, string>
}

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'))
const manifest = read('package.json')
const packages: [string, Entry][] = Object.entries(read('package-lock.json').packages)
const dependencies = packages.filter(([path]) => path !== '')

describe('the lock file', () => {
  it.each([
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'x64'],
    ['darwin', 'arm64'],
  ])('pins the Node.js of %s %s, which is the command `node` of the npm scripts', (os, cpu) => {
    const runtimes = dependencies.filter(
      ([, { bin, ...entry }]) =>
        bin?.node !== undefined && String(entry.os) === os && String(entry.cpu) === cpu,
    )
    expect(runtimes).toEqual([
      [
        expect.stringMatching(/^node_modules\/node-/),
        expect.objectContaining({
          version: expect.stringMatching(/^2[4-9]\./),
          integrity: expect.stringMatching(/^sha512-[\w+/]{86}==$/),
          optional: true,
          bin: { node: 'bin/node' },
        }),
      ],
    ])
    const name = String(runtimes[0]?.[0]).replace('node_modules/', '')
    expect(manifest.optionalDependencies[name]).toBe(runtimes[0]?.[1].version)
  })

  it('has a hash of each package, and names no registry', () => {
    const unpinned = dependencies.filter(([, { integrity, resolved }]) => !integrity || resolved)
    expect(unpinned.map(([path]) => path)).toEqual([])
  })

  it('brings no package that fetches a Node.js by a script', () => {
    expect(dependencies.map(([path]) => path)).not.toContain('node_modules/node')
    expect(manifest.allowScripts).not.toHaveProperty('node')
  })
})
