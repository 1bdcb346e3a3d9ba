import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { stopProcess, untilSays } from '../../../simulator/platform/child-process.ts'
import { type HubNamespace, openNamespaces } from '../../force/parts/network/namespaces.ts'
import { openNetwork } from '../../force/parts/network/network.ts'
import { until } from '../../support/wait.ts'

const PORT = 8080
/** Repeats what it hears, at every address of its namespace. */
const ECHO = `require('node:net').createServer((socket) => socket.on('error', () => 0).pipe(socket))
  .listen(${PORT}, '0.0.0.0', () => console.log('listens'))`
/** Opens namespaces, starts a program in one of them, and says their names. */
const RUN = `
  import { spawn } from 'node:child_process'
  import { openNamespaces } from ${JSON.stringify(fileURLToPath(new URL('../../force/parts/network/namespaces.ts', import.meta.url)))}
  const made = openNamespaces(1, { onEnd() {} })
  const [program, ...words] = made.hubs[0].enter
  spawn(program, [...words, 'sleep', '1000'], { stdio: 'ignore' })
    .on('spawn', () => console.log('opened ' + made.own.watch))
  setInterval(() => {}, 1000)`

const missing = (() => {
  const ends: (() => void)[] = []
  const made = openNamespaces(1, { onEnd: (close) => void ends.push(() => void close()) })
  for (const end of ends) end()
  return 'missing' in made ? made.missing : undefined
})()

function open(hubs: number) {
  const made = openNamespaces(hubs, { onEnd: onTestFinished })
  if ('missing' in made) throw new Error(made.missing)
  return made
}

async function echoIn({ enter: [program = '', ...words] }: HubNamespace) {
  const child = spawn(program, [...words, process.execPath, '-e', ECHO], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => stopProcess(child, 'SIGKILL'))
  await untilSays(child, child.stdout, 'listens')
}

/** A client that knows what came back. */
function talkTo(host: string) {
  const made = {
    socket: connect({ host, port: PORT }),
    heard: '',
    error: undefined as Error | undefined,
    async says(words: string) {
      made.socket.write(words)
      await until(words, () => made.heard.endsWith(words))
    },
  }
  made.socket.on('error', (error) => {
    made.error = error
  })
  made.socket.setEncoding('utf8').on('data', (text: string) => {
    made.heard += text
  })
  onTestFinished(() => void made.socket.destroy())
  return made
}

const isConnected = ({ socket }: { socket: Socket }) => !socket.connecting && !socket.destroyed
const names = () => execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' })
/** The number of the interface that has the address. No later one has it, even if it takes the address at once. */
const interfaceOf = (address: string) =>
  execFileSync('ip', ['-o', 'address', 'show', 'to', address], { encoding: 'utf8' }).split(':')[0]

describe.skipIf(missing !== undefined)('namespaces', () => {
  it('lose every packet of one part, and close nothing', async () => {
    const [hub, other] = open(2).hubs
    if (!hub || !other) throw new Error('two were wanted')
    await Promise.all([echoIn(hub), echoIn(other)])
    const old = talkTo(hub.addresses.speakers)
    const watching = talkTo(hub.addresses.watch)
    const others = talkTo(other.addresses.speakers)
    await Promise.all([old.says('before'), watching.says('before'), others.says('before')])

    hub.parts.speakers.silence()
    old.socket.write('meanwhile')
    const late = talkTo(hub.addresses.speakers)
    for (let turn = 1; turn <= 100; turn += 1) {
      await watching.says(`${turn}`)
      await others.says(`${turn}`)
    }
    expect([old.heard, isConnected(old)]).toEqual(['before', true])
    expect([late.socket.connecting, late.error]).toEqual([true, undefined])

    hub.parts.speakers.mend()
    await until('what was lost', () => old.heard === 'beforemeanwhile')
    await late.says('late')
  })

  it('let hubs reach each other, and nothing by another part', async () => {
    const [hub, other] = open(2).hubs
    if (!hub || !other) throw new Error('two were wanted')
    await echoIn(other)
    const [program = '', ...words] = hub.enter
    /** How a connection from one hub to the other one ends. */
    const reach = (host: string) => {
      const script = `require('node:net').connect(${PORT}, '${host}')
        .on('connect', () => process.exit(0)).on('error', ({ code }) => { console.log(code); process.exit(1) })`
      const child = spawn(program, [...words, process.execPath, '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => stopProcess(child, 'SIGKILL'))
      return once(child, 'exit').then(([code]) => code)
    }
    expect(await reach(other.addresses.partners)).toBe(0)
    expect(await reach('192.0.2.1')).toBe(1)
    hub.parts.partners.silence()
    // The hub does not look for a way around.
    let ended = false
    void reach(other.addresses.partners).then(() => {
      ended = true
    })
    expect(await reach(other.addresses.database)).toBe(0)
    expect(ended).toBe(false)
  })

  it('are removed at the end', async () => {
    const ends: (() => void | Promise<void>)[] = []
    const made = openNamespaces(2, { onEnd: (close) => void ends.push(close) })
    if ('missing' in made) throw new Error(made.missing)
    const name = /soundbox-\d+-\d+/.exec(made.hubs[0]?.enter.join(' ') ?? '')?.[0] ?? ''
    const own = interfaceOf(made.own.watch)
    expect([names(), own]).toEqual([expect.stringContaining(name), expect.stringMatching(/^\d+$/)])
    for (const end of ends) await end()
    expect(names()).not.toContain(name)
    await until('the end of the interface', () => interfaceOf(made.own.watch) !== own)
  })

  it('of runs side by side are apart, and those that a killed run has left are removed by the next one', async () => {
    const run = async (): Promise<{ child: ChildProcess; address: string }> => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', RUN], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => stopProcess(child, 'SIGKILL'))
      const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
      return { child, address: String(line).trim().replace('opened ', '') }
    }
    const [first, second, own] = [...(await Promise.all([run(), run()])), open(1)]
    expect(new Set([first.address, second.address, own.own.watch]).size).toBe(3)
    const [ofFirst, ofSecond] = [first, second].map(({ address }) => interfaceOf(address))
    expect(names()).toContain(`-${first.child.pid}-`)
    await stopProcess(first.child, 'SIGKILL')
    open(1)
    expect(names()).not.toContain(`-${first.child.pid}-`)
    expect(names()).toContain(`-${second.child.pid}-`)
    await until('the end of the interface', () => interfaceOf(first.address) !== ofFirst)
    expect(interfaceOf(second.address)).toBe(ofSecond)
    await stopProcess(second.child, 'SIGKILL')
    open(1)
    expect(names()).not.toContain(`-${second.child.pid}-`)
  })
})

it('are replaced by wires where they are missing, and the report says why', () => {
  vi.stubEnv('PATH', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(openNetwork('namespaces', 1, { onEnd: onTestFinished }).how).toMatch(
    /^wires \((only root of Linux may|ip of iproute2 is not installed)/,
  )
})
