import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../support/folder.ts'
import { hubEnv, type Running, start, startHubProcess } from '../../../support/processes/process.ts'
import { until } from '../../../support/wait.ts'

/** The settings of a hub whose key is a file in its folder. */
const envOf = (folder: string) => hubEnv(folder, { HUB_MASTER_KEY: '' })

const launch = (folder: string, args: string[] = []) =>
  start(process.execPath, [...args, 'server/main.ts'], envOf(folder))

/** It ended by 0, or by the signal while Node.js itself starts, and said nothing. */
async function expectQuietEnd({ ended, child }: Pick<Running, 'ended' | 'child'>, when?: string) {
  const { code, stderr } = await ended
  expect({ end: code ?? child.signalCode, stderr }, when).toEqual({
    end: expect.toBeOneOf([0, 'SIGTERM', 'SIGINT']),
    stderr: '',
  })
}

/** A preloaded module that signals its own process, once, when so many modules of the hub are loaded. */
const afterModules = (count: number) =>
  `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  import { isMainThread } from 'node:worker_threads'
  let left = ${count}
  if (isMainThread) registerHooks({ load(url, context, next) {
    if (url.includes('/server/') && --left === 0) process.kill(process.pid, 'SIGTERM')
    return next(url, context)
  } })
`)}`

const isThere = (name: RegExp) => (folder: string) =>
  existsSync(folder) && readdirSync(folder).some((one) => name.test(one))

describe('a hub that gets a signal while it starts', () => {
  it('ends quietly before any of its code runs', async () => {
    const hub = launch(temporaryFolder())
    hub.child.kill('SIGINT')
    await expectQuietEnd(hub)
  })

  it('ends quietly however many modules it has loaded, and starts the next time', async () => {
    const folder = join(temporaryFolder(), 'data')
    for (const count of [1, 2, 5, 20, 80, 140])
      await expectQuietEnd(launch(folder, ['--import', afterModules(count)]), `${count} modules`)
    await expectQuietEnd(await stopped(folder))
  })

  it.each([
    ['the key', /^master\.key/],
    ['a database in the making', /\.part$/],
    ['the database', /^hub\.db$/],
    ['the lock', /^hub\.lock$/],
    ['the log of the database', /^hub\.db-wal$/],
    ['the addresses', /^hub\.json$/],
  ])('ends quietly when it has made %s, and starts the next time', async (what, name) => {
    const folder = join(temporaryFolder(), 'data')
    const hub = launch(folder)
    // A draft has its name for a moment only: a look may miss it, and then the start is over.
    const isOver = () => isThere(/^hub\.json$/)(folder) || hub.child.exitCode !== null
    await until(what, () => isThere(name)(folder) || isOver())
    hub.child.kill('SIGTERM')
    await expectQuietEnd(hub)
    await expectQuietEnd(await stopped(folder))
  })
})

describe('a hub that gets a signal when it is ready', () => {
  it.each([1, 10, 100])('ends quietly after %i requests', async (requests) => {
    const hub = await startHubProcess(hubEnv(temporaryFolder()))
    for (let sent = 0; sent < requests; sent += 1) await fetch(`${hub.http}/readyz`)
    hub.child.kill('SIGTERM')
    await expectQuietEnd(hub)
  })

  it('ends quietly when it gets two at once', async () => {
    const hub = await startHubProcess(hubEnv(temporaryFolder()))
    hub.child.kill('SIGTERM')
    hub.child.kill('SIGINT')
    await expectQuietEnd(hub)
  })
})

/** A hub that has started on the folder, and was stopped. */
async function stopped(folder: string): Promise<Running> {
  const hub = await startHubProcess(envOf(folder))
  hub.child.kill('SIGTERM')
  return hub
}
