#!/usr/bin/env node
// Plain JavaScript that Node.js 20 understands: it starts the package's own Node.js 24, which runs the TypeScript.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const { resolve } = createRequire(import.meta.url)
const urlOf = (path) => new URL(path, import.meta.url).href
const fileOf = (path) => fileURLToPath(urlOf(path))

const isInstalled = import.meta.url.includes('/node_modules/')
const TSX = ['--import', pathToFileURL(resolve('tsx')).href]
/** The arguments of Node.js for each command. */
const COMMANDS = {
  start: [fileOf('../server/main.ts')],
  demo: [fileOf('./demo.js')],
  hub: [fileOf('../server/operate/cli/main.ts')],
  simulator: ['--optimize-for-size', ...TSX, fileOf('../simulator/main.ts')],
  conformance: [fileOf('../simulator/run/kit/main.ts')],
}

const USAGE = `Usage: soundbox-hub <command>
  start        the hub; its settings are in the environment
  demo         hub, broker and one speaker in one terminal
  hub          operate a hub: partners, devices, backups, keys (hub --help)
  simulator    a speaker in the terminal (simulator --help)
  conformance  check a speaker against the protocol (conformance --help)
  --help       this text
  --version    the version
`

/** The Node.js 24 that the package brings for this system, else the present one, which has to be new enough. */
async function node() {
  const { platform, arch } = process
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  try {
    return join(dirname(resolve(`${prefix}-${platform}-${arch}/package.json`)), 'bin/node')
  } catch {
    await import('./require-node.js')
    return process.execPath
  }
}

/** Node.js strips no types below node_modules: the program and all that it starts get a loader for that. */
function optionsBelowNodeModules() {
  const loader = `--disable-warning=ExperimentalWarning --import=${urlOf('./strip-types.js')}`
  return `${process.env.NODE_OPTIONS ?? ''} ${loader}`.trim()
}

/** Becomes the program. Before Node.js 22.15 a process can't, so it stays as a parent that passes everything on. */
async function run(args) {
  const file = await node()
  const env = { ...process.env, ...(isInstalled && { NODE_OPTIONS: optionsBelowNodeModules() }) }
  if (process.execve) process.execve(file, [file, ...args], env)
  const guarded = ['--import', urlOf('./end-with-parent.js'), ...args]
  const child = spawn(file, guarded, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])
    process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

const [command = '--help', ...rest] = process.argv.slice(2)
if (Object.hasOwn(COMMANDS, command)) await run([...COMMANDS[command], ...rest])
else if (command === '--version')
  process.stdout.write(`${JSON.parse(readFileSync(fileOf('../package.json'), 'utf8')).version}\n`)
else if (command === '--help') process.stdout.write(USAGE)
else {
  process.stderr.write(`There is no command ${command}.\n${USAGE}`)
  process.exitCode = 2
}
