import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTestApi } from '../../../support/api.ts'
import { temporaryFolder, withFile } from '../../../support/folder.ts'

/*
 * The clients that partners generate from the description compile in strict mode, and know the codes of each operation.
 * The generators need an older TypeScript than the product, so they have a package of their own, which npm installs from
 * its cache or its registry.
 */

const GENERATORS = fileURLToPath(new URL('clients', import.meta.url))
const LOGIN = `{ clientId: 'sbc_1', clientSecret: 'sbs_1' }`
const CALLBACK = `{
  terminalID: 'T1', bankCode: 'MB', billNumber: '', transactionAmount: '50000', notice: '',
  payDate: '2026-11-22T10:00:00+07:00', traceTransfer: '', ftCode: 'FT1', checkSum: '0'.repeat(64),
}`
/** Compiles when the type of `code` is the callback's codes of status 400: 40014 is one of them, 40905 is not. */
const CODES = `
  const isForeignKnown: 40905 extends typeof code ? true : false = false
  return code === 40014 || isForeignKnown
`

const CLIENTS = [
  {
    name: 'openapi-typescript',
    home: 'openapi-typescript',
    generate: ['openapi-typescript', 'openapi.json', '-o', 'openapi-typescript/hub.d.ts'],
    use: `
      import createClient from 'openapi-fetch'
      import type { operations, paths } from './hub.d.ts'
      const hub = createClient<paths>({ baseUrl: 'http://127.0.0.1' })
      export async function pay(): Promise<string | undefined> {
        const login = await hub.POST('/api/v1/partner/auth/token', { body: ${LOGIN} })
        const token: string | undefined = login.data?.accessToken
        const headers = { Authorization: 'Bearer ' + token }
        const paid = await hub.POST('/api/v1/partner/payment/callback', { headers, body: ${CALLBACK} })
        return paid.data?.storeId
      }
      type Refusal = operations['reportPayment']['responses'][400]['content']['application/json']
      export function isChecksum({ code }: Refusal): boolean { ${CODES} }
    `,
  },
  {
    name: '@hey-api/openapi-ts',
    home: 'hey-api',
    generate: ['openapi-ts', '-i', 'openapi.json', '-o', 'hey-api/hub'],
    use: `
      import { getAccessToken, reportPayment } from './hub/index'
      import type { ReportPaymentErrors } from './hub/index'
      export async function pay(): Promise<string | undefined> {
        const login = await getAccessToken({ body: ${LOGIN} })
        const token: string | undefined = login.data?.accessToken
        const paid = await reportPayment({ auth: token, body: ${CALLBACK} })
        return paid.data?.storeId
      }
      export function isChecksum({ code }: ReportPaymentErrors[400]): boolean { ${CODES} }
    `,
  },
  {
    name: 'orval',
    home: 'orval',
    generate: ['orval', '--input', 'openapi.json', '--output', 'orval/hub.ts', '--client', 'fetch'],
    use: `
      import { getAccessToken, reportPayment } from './hub'
      import type { ReportPayment400 } from './hub'
      export async function pay(): Promise<string | undefined> {
        const login = await getAccessToken(${LOGIN})
        const token = login.status === 200 ? login.data.accessToken : ''
        const headers = { Authorization: 'Bearer ' + token }
        const paid = await reportPayment(${CALLBACK}, { headers })
        return paid.status === 200 ? paid.data.storeId : undefined
      }
      export function isChecksum({ code }: ReportPayment400): boolean { ${CODES} }
    `,
  },
]
const STRICT = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler' },
    ...{ lib: ['es2023', 'dom', 'dom.iterable'], types: [], allowImportingTsExtensions: true },
  },
}

describe('a generated client', () => {
  const onEnd = withFile()
  let folder: string

  function run(command: string, ...args: string[]) {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
    return { status, output: `${stdout}${stderr}` }
  }
  const runInstalled = (name: string, ...args: string[]) =>
    run(process.execPath, join(folder, 'node_modules/.bin', name), ...args)

  beforeAll(async () => {
    folder = temporaryFolder(onEnd)
    cpSync(GENERATORS, folder, { recursive: true })
    writeFileSync(join(folder, 'openapi.json'), await createTestApi({ onEnd }).text('/openapi.json'))
    expect(run('npm', 'ci', '--ignore-scripts', '--prefer-offline')).toMatchObject({ status: 0 })
  })

  it.each(CLIENTS)('of $name compiles in strict mode', ({ home, generate, use }) => {
    const [generator = '', ...args] = generate
    expect(runInstalled(generator, ...args)).toMatchObject({ status: 0 })
    writeFileSync(join(folder, home, 'use.ts'), use)
    writeFileSync(join(folder, home, 'tsconfig.json'), JSON.stringify({ ...STRICT, include: ['.'] }))
    expect(runInstalled('tsc', '-p', home)).toEqual({ status: 0, output: '' })
  })
})
