import { spawn } from 'node:child_process'
import type { Operator } from './operator.ts'

/** Shell commands of a test rig. */
export interface Hooks {
  powerCycle?: string | undefined
  goodbye?: string | undefined
  answers?: string | undefined
}

/** Switching a relay and booting take seconds. A command that takes longer hangs. */
const HOOK_TIMEOUT_MS = 120_000
/** Exit codes of the `answers` command. Any other code means "can't tell". */
const YES = 0
const NO = 1

/** An operator that runs the shell commands of a test rig. */
export function rigOperator(hooks: Hooks, env: NodeJS.ProcessEnv): Operator {
  const { powerCycle, goodbye, answers } = hooks
  return {
    powerCycle: powerCycle === undefined ? undefined : () => done(powerCycle, env),
    goodbye: goodbye === undefined ? undefined : () => done(goodbye, env),
    answersBy: answers === undefined ? undefined : 'the --answers command',
    answer:
      answers === undefined
        ? undefined
        : async ({ caseId, text, about, command }) => {
            const variables = { SB1_CASE: caseId, SB1_QUESTION: text, SB1_ABOUT: JSON.stringify(about) }
            const sent = command ? { SB1_COMMAND: JSON.stringify(command.d), SB1_N: String(command.n) } : {}
            const code = await exitOf(answers, { ...env, ...variables, ...sent })
            return code === YES ? true : code === NO ? false : undefined
          },
  }
}

/** Combines two operators. The first one is preferred for each action. */
export function firstAvailable(first: Operator, second: Operator): Operator {
  return {
    answer: first.answer ?? second.answer,
    asksOnce: first.answer ? first.asksOnce : second.asksOnce,
    answersBy: first.answer ? first.answersBy : second.answersBy,
    powerCycle: first.powerCycle ?? second.powerCycle,
    goodbye: first.goodbye ?? second.goodbye,
  }
}

async function done(command: string, env: NodeJS.ProcessEnv): Promise<void> {
  const code = await exitOf(command, env)
  if (code !== 0) throw new Error(`the command "${command}" failed with ${code}`)
}

/** Ignores the command's output: a device that it starts may keep the output open. */
function exitOf(command: string, env: NodeJS.ProcessEnv): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, env, stdio: 'ignore', timeout: HOOK_TIMEOUT_MS })
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'nothing'))
  })
}
