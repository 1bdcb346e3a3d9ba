import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { start } from '../../../../support/processes/process.ts'
import { until } from '../../../../support/wait.ts'

const DEMO = 'bin/demo.js'
const ONCE = [DEMO, '--once']

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

it('draws before it loads anything, and gives the terminal back at Ctrl+C', async () => {
  const demo = start(process.execPath, ['--import', './simulator/run/demo/picture/stand-in.ts', DEMO], {
    TERM: 'xterm-256color',
  })
  await until('the first screen', () => demo.stdout().includes('DEMO-0001'))
  expect(demo.stdout().startsWith('\u001b[?1049h')).toBe(true)
  demo.child.kill('SIGINT')
  const { code, stdout, stderr } = await demo.ended
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' })
  expect(stdout).toContain('\u001b[?1049l')
})
