import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../support/folder.ts'
import { hubEnv, start, startHubProcess } from '../../../../support/processes/process.ts'
import { until } from '../../../../support/wait.ts'

const run = (env: Record<string, string>) => start(process.execPath, ['server/main.ts'], env).ended

it('prints one ready line with its addresses as JSON, and exits with 0 on SIGTERM', async () => {
  const folder = temporaryFolder()
  const hub = await startHubProcess(hubEnv(folder))
  expect(hub.ready).toEqual({
    event: 'ready',
    http: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    mqtt: expect.stringMatching(/^mqtt:\/\/127\.0\.0\.1:\d+$/),
    admin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  })
  expect((await fetch(`${hub.http}/readyz`)).status).toBe(200)

  for (const [setting, url] of [
    ['HUB_HTTP_PORT', hub.http],
    ['HUB_MQTT_PORT', hub.mqtt],
    ['HUB_ADMIN_PORT', hub.admin],
  ] as const) {
    const taken = new URL(url).port
    const second = await run(hubEnv(temporaryFolder(), { [setting]: taken }))
    expect([second.code, second.stdout]).toEqual([1, ''])
    expect(second.stderr).toMatch(new RegExp(`^Port ${taken} on .* is in use: .*${setting}.*\\.\\n$`))
  }

  hub.child.kill('SIGTERM')
  const ended = await hub.ended
  expect(ended.code).toBe(0)
  expect(ended.stdout.trim().split('\n')).toHaveLength(1)
})

it('receives a SIGTERM that is sent to npm start: no shell is in between', async () => {
  const npm = start('npm', ['start', '--silent'], hubEnv(temporaryFolder()))
  const ready = await until('the ready line', () => npm.events()[0])
  npm.child.kill('SIGTERM')
  expect((await npm.ended).code).toBe(0)
  await expect(fetch(`${ready.http}/healthz`)).rejects.toThrow()
})

it('refuses a data folder on which another hub is running', async () => {
  const folder = temporaryFolder()
  await startHubProcess(hubEnv(folder))
  const second = await run(hubEnv(folder))
  expect(second).toMatchObject({ code: 1, stdout: '' })
  expect(second.stderr).toMatch(/^Another hub is running on this data folder \(npm start, pid \d+\): .*\.\n$/)
})

it('answers in a sentence when its data folder cannot be used', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  const ended = await run(hubEnv(file))
  expect(ended.code).toBe(1)
  expect(ended.stderr).toMatch(/^The data folder .* can't be used .*HUB_DATA_DIR.*\.\n$/)
})

it('has its figures and its health on the listener of operators, and no figures beside the API', async () => {
  const hub = await startHubProcess(hubEnv(temporaryFolder()))
  const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status
  for (const path of ['/healthz', '/readyz']) {
    expect(await status(`${hub.admin}${path}`), path).toBe(200)
    expect(await status(`${hub.http}${path}`), path).toBe(200)
  }
  expect(await status(`${hub.admin}/metrics`)).toBe(200)
  expect(await status(`${hub.http}/metrics`)).toBe(404)
  expect(await status(`${hub.admin}/api/v1/partner/auth/token`, { method: 'POST' })).toBe(404)
  // Speakers have no business there: no handshake, and no crash.
  const socket = new WebSocket(`${hub.admin.replace('http', 'ws')}/mqtt`, 'mqtt')
  await new Promise((resolve) => socket.addEventListener('error', resolve, { once: true }))
  expect(await status(`${hub.admin}/healthz`)).toBe(200)
})

it('names a setting that it does not know, with the nearest one, and starts', async () => {
  const hub = await startHubProcess(hubEnv(temporaryFolder(), { HUB_HTTP_PRT: '80' }))
  const sentence = 'HUB_HTTP_PRT is no setting of the hub, the nearest is HUB_HTTP_PORT'
  await until('the sentence', () => hub.stderr().includes(sentence))
})
