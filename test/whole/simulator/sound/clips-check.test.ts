import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { PACK_DIR } from '../../../../simulator/sound/clip-files.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { start } from '../../../support/processes/process.ts'

const fileOf = (path: string) => fileURLToPath(new URL(`../../../../simulator/${path}`, import.meta.url))
const check = (...args: string[]) => start(process.execPath, [fileOf('sound/check/main.ts'), ...args]).ended

it('npm run clips:check ends with 0 for a good pack, 1 for a bad one, and 2 for wrong usage', async () => {
  const dir = join(temporaryFolder(), 'my-voice')
  cpSync(PACK_DIR, dir, { recursive: true })
  rmSync(join(dir, 'vi', '5.wav'))
  const [own, bad, missing, two, option, help] = await Promise.all([
    check(),
    check(dir),
    check(join(dir, 'none')),
    check(dir, dir),
    check('--all'),
    check('--help'),
  ])
  expect([own.code, bad.code, missing.code, two.code, option.code, help.code]).toEqual([0, 1, 2, 2, 2, 0])
  expect(own.stdout).toMatch(/^vi: 21 clips, .*\nen: 34 clips, .*\n\S+ is a good pack\.\n$/)
  expect(bad.stdout).toMatch(
    /^vi\/5\.wav: it is missing; .*\n.*\n.*\n\S+ is not a good pack\. Mistakes: 1\.\n$/,
  )
  for (const { stdout, stderr } of [missing, two, option]) {
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^.+\nUsage: npm run clips:check /)
  }
  expect(readFileSync(fileOf('../package.json'), 'utf8')).toContain('simulator/sound/check/main.ts')
})

it('the simulator refuses a voice that can not speak with 2, and names the file', async () => {
  const dir = join(temporaryFolder(), 'my-voice')
  cpSync(PACK_DIR, dir, { recursive: true })
  rmSync(join(dir, 'en', 'dong.wav'))
  const device = ['--serial', 'SPK-0001', '--key', Buffer.alloc(32, 7).toString('base64url')]
  const args = ['--import', 'tsx', fileOf('main.ts'), '--headless', ...device]
  const { code, stderr } = await start(process.execPath, [...args, '--sound', '--voice', dir]).ended
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^--voice: The clip \S+\/en\/dong\.wav can't be used: there is no such file\. `npm run clips:check \S+my-voice` says more\.\n$/,
  )
})
