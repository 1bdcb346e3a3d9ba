import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
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

it('has a hub of its own, also where the environment is that of another hub', async () => {
  const theirs = {
    ...{ HUB_DATABASE_URL: 'postgres://127.0.0.1:1/theirs', HUB_PEER_URL: 'http://127.0.0.1:1' },
    ...{ HUB_MASTER_KEY: randomBytes(32).toString('base64'), HUB_MQTT_TLS_PORT: '8883' },
  }
  const { code, stdout, stderr } = await start(process.execPath, ONCE, theirs).ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/The hub has the proof: .*played/)
})

/** The demo after its first line, and its exit code with its complaint. */
async function begun() {
  const demo = spawn(process.execPath, ONCE, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void demo.kill('SIGKILL'))
  let complaint = ''
  demo.stderr.on('data', (text) => {
    complaint += text
  })
  const ended = once(demo, 'close').then(([code]) => [code, complaint])
  await once(demo.stdout, 'data')
  return { demo, ended }
}

it('exits with 130 and no error message at Ctrl+C for its whole group and again from npm', async () => {
  const { demo, ended } = await begun()
  if (demo.pid === undefined) throw new Error('the demo did not start')
  process.kill(-demo.pid, 'SIGINT')
  demo.kill('SIGINT')
  expect(await ended).toEqual([130, ''])
})

it('exits with 130 and no error message when nobody reads its output any more', async () => {
  const { demo, ended } = await begun()
  demo.stdout.destroy()
  expect(await ended).toEqual([130, ''])
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
