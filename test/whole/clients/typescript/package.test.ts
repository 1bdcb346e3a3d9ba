import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { CLIENT_NAME, installClient, PATIENT, packedClient } from '../../../support/clients/packed-client.ts'
import { ROOT } from '../../../support/docs/markdown.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { startTestHub } from '../../../support/hub.ts'
import { switchOn } from '../../../support/mqtt/speaker.ts'
import { start } from '../../../support/processes/process.ts'
import { findProgram } from '../../../support/processes/program.ts'
import { until } from '../../../support/wait.ts'

let installed: string
beforeAll(async () => {
  installed = join(await packedClient(), 'node_modules', CLIENT_NAME)
})
const read = (path: string) => readFileSync(join(installed, path), 'utf8')

describe('the package', () => {
  it('has the compiled client, its types and what explains them, and needs no other package', () => {
    const files = globSync('**/*.*', { cwd: installed }).sort()
    const compiled = globSync('**/*.ts', { cwd: join(ROOT, 'clients/typescript/src') }).flatMap((path) => {
      const name = `dist/${path.replace(/\.ts$/, '')}`
      return [`${name}.js`, `${name}.d.ts`]
    })
    expect(files).toEqual(['README.md', 'package.json', ...compiled].sort())
    expect(read('LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
    const manifest = JSON.parse(read('package.json'))
    expect([manifest.dependencies, manifest.peerDependencies]).toEqual([undefined, undefined])
    const hub = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect([manifest.version, manifest.license]).toEqual([hub.version, hub.license])
  })

  it('imports nothing but its own files', () => {
    for (const path of globSync('dist/**/*.js', { cwd: installed })) {
      const imported = [...read(path).matchAll(/\bfrom ['"]([^'"]+)/g)].map(([, name]) => name)
      for (const name of imported) expect(name).toMatch(/^\.\.?\/.*\.js$/)
    }
  })

  it('has types that a strict compiler takes, with those of a browser and with those of Node.js', async () => {
    const folder = temporaryFolder()
    await installClient(folder)
    const blocks = [...read('README.md').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
    expect(blocks.length).toBeGreaterThan(4)
    for (const [n, code] of blocks.entries()) writeFileSync(join(folder, `readme-${n}.mts`), code)
    writeFileSync(join(folder, 'codes.mts'), CODES)
    writeFileSync(join(folder, 'environment.d.mts'), ENVIRONMENT)
    const strict = {
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    }
    const compile = (own: object) => {
      const compilerOptions = { ...strict, target: 'es2022', module: 'nodenext', ...own }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }))
      const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [], {
        cwd: folder,
        encoding: 'utf8',
      })
      return { status, stdout }
    }
    expect(compile({ lib: ['es2022', 'dom', 'dom.iterable'], types: [] })).toEqual({ status: 0, stdout: '' })
    const typeRoots = [join(ROOT, 'node_modules/@types')]
    const node = { lib: ['es2022'], types: ['node'], typeRoots, skipLibCheck: true }
    expect(compile(node)).toEqual({ status: 0, stdout: '' })
  })
})

/** The README reads its secrets from the environment; a browser has none. */
const ENVIRONMENT = `
declare global {
  var process: { env: Record<string, string | undefined>; argv: string[] }
}
export {}
`

const CODES = `
import { type ErrorCodeOf, type EventDto, HubClient, isHubError } from '${CLIENT_NAME}'
export function name(error: unknown): 'CHECKSUM_MISMATCH' | undefined {
  return isHubError(error, 40014) ? error.error : undefined
}
export const isCode: 40014 extends Parameters<typeof isHubError>[1] ? true : false = true
export const isNoCode: 49999 extends Parameters<typeof isHubError>[1] ? true : false = false
export const isForeign: 40905 extends ErrorCodeOf<'reportPayment'> ? true : false = false
export function serial(event: EventDto): string | undefined {
  return event.type === 'device.offline' ? event.data.deviceSerial : undefined
}
type Bill = Parameters<HubClient['createDynamicQr']>[0]
export const isText: string extends Bill['transactionAmount'] ? true : false = true
export const isNumber: number extends Bill['transactionAmount'] ? true : false = false
export const isField: 'name' extends keyof Parameters<HubClient['updateStore']>[1] ? true : false = false
export async function types(hub: HubClient) {
  const { store } = await hub.registerDevice({
    deviceSerial: '', verificationCode: '', phoneNumber: '', storeName: '', terminalID: '', bankCode: '',
    bankAccountNumber: '', bankAccountName: '',
  })
  await hub.updateStore(store.id, { storeName: 'x' })
  for await (const { stage } of (await hub.getTransaction('FT')).announcements) stage satisfies string
}
`

/** A program in JavaScript: it makes a call, goes through a list, signs and verifies. */
const PROGRAM = `
import { checksum, HubClient, isHubError, verifyWebhook } from '${CLIENT_NAME}'
const [url, clientId, clientSecret] = globalThis.Deno ? Deno.args : process.argv.slice(2)
const hub = new HubClient({${PATIENT} url, clientId, clientSecret })
const stores = []
for await (const store of hub.stores()) stores.push(store)
const code = await hub.getStore('none').catch((error) => isHubError(error, 40402) && error.code)
const forged = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' }
const reason = await verifyWebhook(forged, '{}', 'whsec_AAAA').catch((error) => error.reason)
console.log(JSON.stringify({ stores, code, reason, sum: await checksum({}, 'key') }))
`
/** HMAC-SHA256 of eight empty fields under "key"; it was made by Python. */
const EMPTY_SUM = '56a54303c22712c1488de7a835f18d7b3009042adc2d30df44f4d10e127e0566'

const SYSTEM = ['/usr/bin/node', '/usr/local/bin/node', '/opt/homebrew/bin/node']
const versionOf = (node: string) =>
  Number.parseInt(spawnSync(node, ['-v'], { encoding: 'utf8' }).stdout.slice(1), 10)
const old = SYSTEM.find((node) => existsSync(node) && versionOf(node) >= 20 && versionOf(node) < 24)

const PLATFORMS: [name: string, command: string[] | undefined][] = [
  ['an older Node.js', old === undefined ? undefined : [old]],
  ['this Node.js', [process.execPath]],
  ['Deno', commandOf('deno', 'run', '--allow-net')],
  ['Bun', commandOf('bun', 'run')],
]

function commandOf(name: string, ...args: string[]): string[] | undefined {
  const found = findProgram(name)
  return found === undefined ? undefined : [found, ...args]
}

it('the first program of the README makes a payment that is heard', async () => {
  const hub = await startTestHub()
  const device = await hub.device('SHOP-0001')
  const speaker = switchOn(device, hub.mqtt)
  await speaker.next('connected')
  const { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } = await hub.partner()
  const folder = temporaryFolder()
  await installClient(folder)
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(read('README.md')) ?? []
  const file = join(folder, 'pay.mts')
  writeFileSync(
    file,
    code.replace('https://hub.example', hub.http).replace('new HubClient({', `$&${PATIENT}`),
  )
  const run = (...args: string[]) =>
    start(process.execPath, [file, ...args], { CLIENT_ID, CLIENT_SECRET, NO_COLOR: '1' }).ended
  expect(await run()).toEqual({ code: 0, stdout: '', stderr: '' })
  const paid = await run(await until('the code on the screen', speaker.code))
  expect(paid).toMatchObject({ code: 0, stdout: expect.stringContaining("ftCode: 'FT-0001'"), stderr: '' })
  expect(await speaker.next('announce')).toMatchObject({ amount: '50000', bill: 'BILL-01' })
})

describe.each(PLATFORMS)('on %s', (name, command) => {
  it('a program imports it and talks to a hub', async ({ skip }) => {
    skip(command === undefined, `${name} is not installed`)
    const hub = await startTestHub()
    const { clientId, clientSecret } = await hub.partner()
    const folder = temporaryFolder()
    await installClient(folder)
    const file = join(folder, 'program.mjs')
    writeFileSync(file, PROGRAM)
    const [program = '', ...args] = command ?? []
    const env = { HOME: folder, NO_COLOR: '1' }
    const ended = await start(program, [...args, file, hub.http, clientId, clientSecret], env).ended
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const said = { stores: [], code: 40402, reason: 'wrong signature', sum: EMPTY_SUM }
    expect(JSON.parse(ended.stdout)).toEqual(said)
  })
})
