import { parseScenario } from '../../../../simulator/run/scenario/file/load.ts'
import { ScenarioError } from '../../../../simulator/run/scenario/file/scenario-error.ts'

/** The mistakes in a file, without its name. */
export function mistakesIn(text: string): string[] {
  try {
    parseScenario('x.yaml', text)
    return []
  } catch (error) {
    if (error instanceof ScenarioError)
      return error.message.split('\n').map((line) => line.replace('x.yaml:', ''))
    throw error
  }
}

/** A scenario of these steps. */
export const file = (...steps: string[]) =>
  `about: a\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`

/** The message of the error that a wrong scenario makes. */
export function complaintOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof ScenarioError) return error.message
    throw error
  }
  throw new Error('nothing is wrong with it')
}
