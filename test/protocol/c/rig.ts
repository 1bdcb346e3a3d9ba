import { spawn } from 'node:child_process'
import { appendFileSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A test rig for the device in C: its relay, its button, its camera and its microphone, as the commands of
 * `--power-cycle`, `--goodbye` and `--answers`. It reads what the device prints.
 *   node rig.ts FOLDER on|power-cycle|goodbye|off|answers
 * FOLDER/device.json has the command line. FOLDER/events has what the device printed, FOLDER/pid its process.
 */

type Printed = Record<string, unknown>

const [folder = '', act = ''] = process.argv.slice(2)
const events = `${folder}/events`

function switchOn(): void {
  const { program, args } = JSON.parse(readFileSync(`${folder}/device.json`, 'utf8'))
  appendFileSync(events, '{"event":"on"}\n')
  const device = spawn(program, args, {
    detached: true,
    stdio: ['ignore', openSync(events, 'a'), openSync(`${folder}/errors`, 'a')],
  })
  device.unref()
  writeFileSync(`${folder}/pid`, String(device.pid))
}

async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const pid = Number(readFileSync(`${folder}/pid`, 'utf8'))
  process.kill(pid, signal)
  while (isAlive(pid)) await sleep(5)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that nobody waits for remains as a zombie.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** What is on the screen, from the events since the power came on. */
function screenAfter(printed: Printed[]): Record<string, Printed | undefined> {
  const screen: Record<string, Printed | undefined> = {}
  for (const one of printed) {
    const event = String(one.event)
    if (['code', 'qr', 'paid', 'profile', 'missed'].includes(event)) screen[event] = one
    if (event === 'cleared') screen[String(one.what)] = undefined
    if (event === 'paid') screen.qr = undefined
    // The notice goes with the shop's name (7.13), without an event of its own.
    if (event === 'profile' && one.name === '' && one.qr === '') screen.missed = undefined
    if (event === 'qr') screen.paid = undefined
  }
  return screen
}

function answer(): boolean {
  const about = JSON.parse(process.env.SB1_ABOUT ?? '{}')
  const command = JSON.parse(process.env.SB1_COMMAND ?? '{}')
  const n = Number(process.env.SB1_N)
  const printed: Printed[] = readFileSync(events, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const times = (event: string) => printed.filter((one) => one.event === event && one.n === n).length
  if (about.heard !== undefined) return times('announce') === about.times
  if (about.beeped !== undefined) return times('identify') === 1
  const screen = screenAfter(printed.slice(printed.findLastIndex(({ event }) => event === 'on')))
  const shows = (what: string, ...fields: string[]) =>
    screen[what] !== undefined && fields.every((field) => screen[what]?.[field] === command[field])
  switch (about.screen) {
    case 'idle':
      return shows('profile', 'name', 'qr') && screen.profile?.locked === undefined
    case 'locked':
      return screen.profile?.locked === true
    case 'missed':
      return shows('missed', 'count', 'amount')
    case 'qr':
      return shows('qr', 'qr', 'amount')
    case 'paid':
      return shows('paid', 'amount', 'bill') && screen.qr === undefined
    case 'code':
      return shows('code', 'code')
    case 'no-qr':
      return screen.qr === undefined
    case 'no-missed':
      return screen.missed === undefined
    case 'no-code':
      return screen.code === undefined
    default:
      throw new Error(`the rig has no eyes for ${JSON.stringify(about)}`)
  }
}

if (act === 'on') switchOn()
else if (act === 'answers') process.exitCode = answer() ? 0 : 1
else {
  await end(act === 'power-cycle' ? 'SIGKILL' : 'SIGTERM')
  if (act !== 'off') switchOn()
}
