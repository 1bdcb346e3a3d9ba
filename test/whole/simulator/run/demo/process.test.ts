import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { start } from '../../../../support/processes/process.ts'

const ONCE = ['--import', 'tsx', 'simulator/run/demo/main.ts', '--once']

it('plays the whole script without a screen, and exits with 0', async () => {
  const { code, stdout, stderr } = await start(process.execPath, ONCE).ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^The hub is ready at http.*\nThe speaker DEMO-0001 is connected\.\n/)
  expect(stdout).toMatch(/The hub has the proof: .*played/)
})

it('exits with 130 and no error message at Ctrl+C for its whole group and again from npm', async () => {
  const demo = spawn(process.execPath, ONCE, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void demo.kill('SIGKILL'))
  let complaint = ''
  demo.stderr.on('data', (text) => {
    complaint += text
  })
  const ended = once(demo, 'close')
  await once(demo.stdout, 'data')
  if (demo.pid === undefined) throw new Error('the demo did not start')
  process.kill(-demo.pid, 'SIGINT')
  demo.kill('SIGINT')
  expect([(await ended)[0], complaint]).toEqual([130, ''])
})
