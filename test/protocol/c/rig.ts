import { spawn } from 'node:child_process'
import { appendFileSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The exit code if the rig itself fails. For `answers` it means "can't tell", and not "no". */
const RIG_FAILED = 2

/**
 * A test rig for the device in C: its relay, its button, its camera and its microphone, as the commands of
 * `--power-cycle`, `--goodbye` and `--answers`. It reads what the device prints.
 *   node rig.ts FOLDER on|power-cycle|goodbye|off|answers
 * FOLDER/device.json has the command line. FOLDER/events has what the device printed, FOLDER/pid its process,
 * FOLDER/errors its errors and those of the rig.
 */

const [folder = '', act = ''] = process.argv.slice(2)
const events = `${folder}/events`
const ON = '{"event":"on"}'

function switchOn(): void {
  const { program, args } = JSON.parse(readFileSync(`${folder}/device.json`, 'utf8'))
  appendFileSync(events, `\n${ON}\n`)
  const device = spawn(program, args, {
    detached: true,
    stdio: ['ignore', openSync(events, 'a'), openSync(`${folder}/errors`, 'a')],
  })
  device.unref()
  writeFileSync(`${folder}/pid`, String(device.pid))
}

async function end(pid: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  process.kill(pid, signal)
  while (isAlive(pid)) await sleep(5)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that nobody waits for remains as a zombie.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch (error) {
    if (['ESRCH', 'ENOENT'].includes(Object(error).code)) return false
    throw error
  }
}

async function answer(): Promise<boolean> {
  const { answerOf } = await import('./answers.ts')
  const lines = readFileSync(events, 'utf8').split('\n').slice(0, -1)
  // The line before `on` is empty, or a power cut has ended it in the middle.
  const printed = lines.filter((_, index) => lines[index + 1] !== ON)
  return answerOf(
    printed.map((line) => JSON.parse(line)),
    process.env,
  )
}

process.on('uncaughtException', ({ stack }) => {
  appendFileSync(`${folder}/errors`, `The rig's ${act} failed: ${stack}\n`)
  process.exit(RIG_FAILED)
})

if (act === 'on') switchOn()
else if (act === 'answers') process.exitCode = (await answer()) ? 0 : 1
else {
  const pid = Number(readFileSync(`${folder}/pid`, 'utf8'))
  // A device that has crashed is off.
  if (act !== 'off' || isAlive(pid)) await end(pid, act === 'power-cycle' ? 'SIGKILL' : 'SIGTERM')
  if (act === 'off') rmSync(`${folder}/pid`)
  else switchOn()
}
