import { spawn } from 'node:child_process'
import type { People } from './operator.ts'

/** Commands of a test rig, run by the shell. */
export interface Hooks {
  powerCycle?: string | undefined
  goodbye?: string | undefined
  answers?: string | undefined
}

/** A relay and a boot take seconds; what takes longer hangs. */
const LONGEST_HOOK_MS = 120_000
/** Exit codes of the command that answers; any other: it could not tell. */
const YES = 0
const NO = 1

/** A test rig in place of a person: relays, microphones, cameras behind shell commands. */
export function peopleOfHooks(hooks: Hooks, env: NodeJS.ProcessEnv): People {
  const { powerCycle, goodbye, answers } = hooks
  return {
    powerCycle: powerCycle === undefined ? undefined : () => done(powerCycle, env),
    goodbye: goodbye === undefined ? undefined : () => done(goodbye, env),
    answer:
      answers === undefined
        ? undefined
        : async ({ caseId, text, about, command }) => {
            const told = { SB1_CASE: caseId, SB1_QUESTION: text, SB1_ABOUT: JSON.stringify(about) }
            const sent = command ? { SB1_COMMAND: JSON.stringify(command.d), SB1_N: String(command.n) } : {}
            const code = await exitOf(answers, { ...env, ...told, ...sent })
            return code === YES ? true : code === NO ? false : undefined
          },
  }
}

/** The first who can do a thing does it. */
export function together(first: People, second: People): People {
  return {
    answer: first.answer ?? second.answer,
    powerCycle: first.powerCycle ?? second.powerCycle,
    goodbye: first.goodbye ?? second.goodbye,
  }
}

async function done(command: string, env: NodeJS.ProcessEnv): Promise<void> {
  const code = await exitOf(command, env)
  if (code !== 0) throw new Error(`the command "${command}" ended with ${code}`)
}

/** What the command prints is not waited for: a device that it starts may hold its output open. */
function exitOf(command: string, env: NodeJS.ProcessEnv): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, env, stdio: 'ignore', timeout: LONGEST_HOOK_MS })
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'nothing'))
  })
}
