import { expect, it } from 'vitest'
import { proofOf } from '../../../../../protocol/keys.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { hubEnv, start } from '../../../../support/processes/process.ts'

it('creates many devices, one line each, and refuses contradictory options', async () => {
  const env = hubEnv(temporaryFolder())
  const add = (...args: string[]) =>
    start(process.execPath, ['server/operate/cli/main.ts', 'device', 'add', '--json', ...args], env).ended
  const first = await add('--count', '3', '--prefix', 'FLEET-')
  const lines = first.stdout.trimEnd().split('\n')
  expect(first.code).toBe(0)
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    ['FLEET-00001', 'FLEET-00002', 'FLEET-00003'].map((serial) => ({
      serial,
      key: expect.stringMatching(/^[\w-]{43}$/),
    })),
  )

  const csv = await add('--count', '2', '--prefix', 'FLEET-', '--csv')
  const [head, ...rows] = csv.stdout.trimEnd().split('\n')
  expect([csv.code, head, rows.length]).toEqual([0, 'serial,key,proof', 2])
  for (const row of rows) {
    const [serial = '', key = '', proof] = row.split(',')
    expect(serial).toMatch(/^FLEET-0000[45]$/)
    expect(proof).toBe(proofOf(serial, Buffer.from(key, 'base64url')))
  }
  expect((await add('--serial', 'FLEET-00001', '--csv')).stdout).toBe('serial,key,proof\n')

  const [tooMany, alone, both, linkInCsv, linkWithPath] = await Promise.all([
    add('--count', '10001'),
    add('--prefix', 'FLEET-'),
    add('--count', '2', '--serial', 'SB-0001'),
    add('--link', '--csv'),
    add('--link', 'https://hub.example/speaker'),
  ])
  const all = [tooMany, alone, both, linkInCsv, linkWithPath]
  expect(all).toMatchObject(Array(all.length).fill({ code: 2, stdout: '' }))
  expect(tooMany.stderr).toContain('1 to 10000')
  expect(alone.stderr).toContain('--count is missing')
  expect(linkWithPath.stderr).toContain('Give an address without a path')
})

it('adds links to the lines of many devices, to the given address or to the hub of the settings', async () => {
  const env = hubEnv(temporaryFolder(), { HUB_HTTP_HOST: '0.0.0.0', HUB_HTTP_PORT: '8123' })
  const add = (...args: string[]) =>
    start(process.execPath, ['server/operate/cli/main.ts', 'device', 'add', ...args], env).ended
  const [own, given] = [
    await add('--link', '--count', '2', '--prefix', 'TAB-'),
    await add('--link', 'https://Hub.example', '--serial', 'TAB-PAY'),
  ]
  const linksOf = ({ stdout }: typeof own) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => Object(JSON.parse(line)))
      .map(({ link, key }) => String(link).replace(key, 'KEY'))
  expect(linksOf(own)).toEqual([
    'http://127.0.0.1:8123/speaker#serial=TAB-00001&key=KEY',
    'http://127.0.0.1:8123/speaker#serial=TAB-00002&key=KEY',
  ])
  expect(linksOf(given)).toEqual(['https://hub.example/speaker#serial=TAB-PAY&key=KEY'])
})
