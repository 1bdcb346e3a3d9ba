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

  const [tooMany, alone, both] = await Promise.all([
    add('--count', '10001'),
    add('--prefix', 'FLEET-'),
    add('--count', '2', '--serial', 'SB-0001'),
  ])
  expect([tooMany, alone, both]).toMatchObject(Array(3).fill({ code: 2, stdout: '' }))
  expect(tooMany.stderr).toContain('1 to 10000')
  expect(alone.stderr).toContain('--count is missing')
})
