import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../simulator/platform/free-port.ts'
import { installClient } from '../clients/packed-client.ts'
import { start } from '../processes/process.ts'
import { until } from '../wait.ts'
import { type Language, readSample } from './samples.ts'

/** A receiver of webhooks that runs. The end of the test ends it. */
export interface Receiver {
  port: number
  /** The bodies that it has taken, a line each. */
  taken(): string[]
  /** Everything that it has said, for the message of a failed test. */
  said(): string
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.startsWith('{'))

/** Writes the sample of a language into a folder and runs it as its first lines say. */
export async function startReceiver(language: Language, folder: string, secret: string): Promise<Receiver> {
  if (language.usesClient) await installClient(folder)
  const file = join(folder, `receive.${language.extension}`)
  writeFileSync(file, readSample('receive', language))
  const env = {
    WEBHOOK_SECRET: secret,
    WEBHOOK_FOLDER: join(folder, 'received'),
    HOME: process.env.HOME ?? folder,
  }
  return language.extension === 'sh' ? startForEach(file, env) : startServer(language, folder, file, env)
}

async function startServer(
  language: Language,
  folder: string,
  file: string,
  env: Record<string, string>,
): Promise<Receiver> {
  const port = await freePort()
  const [command = '', ...args] = await commandLine(language, folder, file, port)
  const running = start(command, args, { ...env, PORT: String(port) })
  const said = () => running.stdout() + running.stderr()
  await until('the receiver listens', () => {
    if (running.child.exitCode !== null) throw new Error(`the receiver ended: ${said()}`)
    return listens(port)
  })
  return { port, taken: () => linesOf(running.stdout()), said }
}

async function commandLine(
  language: Language,
  folder: string,
  file: string,
  port: number,
): Promise<string[]> {
  if (language.extension === 'php') return ['php', '-S', `127.0.0.1:${port}`, file]
  if (language.extension !== 'go') return language.run(file)
  // `go run` would leave the program running when it is killed.
  const program = join(folder, 'receive')
  const built = await start('go', ['build', '-o', program, file], { HOME: process.env.HOME ?? folder }).ended
  if (built.code !== 0) throw new Error(built.stderr)
  return [program]
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (does: boolean) => {
      socket.destroy()
      resolve(does)
    }
    socket.once('connect', () => answer(true)).once('error', () => answer(false))
  })
}

/** Runs a program for each connection, on its standard input and output, as inetd does. */
async function startForEach(file: string, env: Record<string, string>): Promise<Receiver> {
  let said = ''
  const server = createServer((socket) => {
    const child = spawn('sh', [file], { env: { ...env, PATH: process.env.PATH ?? '' } })
    socket.on('error', () => {}).pipe(child.stdin.on('error', () => {}))
    child.stdout.pipe(socket)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: Object(server.address()).port, taken: () => linesOf(said), said: () => said }
}
