import { expect, it } from 'vitest'
import { start } from '../../support/process.ts'

it('plays its whole line without a screen, and exits with 0', async () => {
  const { code, stdout, stderr } = await start(process.execPath, [
    ...['--import', 'tsx', 'simulator/demo/main.ts', '--once'],
  ]).ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^The hub is ready at http.*\nThe speaker DEMO-0001 is connected\.\n/)
  expect(stdout).toMatch(/The hub has the proof: .*played/)
})
