import { expect, onTestFinished } from 'vitest'
import { temporaryFolder } from '../folder.ts'
import { fill } from '../samples/samples.ts'
import { until } from '../wait.ts'
import { standIns } from './not-run.ts'
import { type Background, createShell } from './shell.ts'

/** The commands of a block, without the lines that explain them. */
export function commandsOf(block: string): string[] {
  return block.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** A newcomer at the quickstart: types its commands, and copies from their output what the page asks for. */
export async function newcomer() {
  const shell = await createShell(temporaryFolder(), standIns())
  const values: Record<string, string> = {
    SERIAL: 'SHOP-0001',
    TERMINAL_ID: 'TILL-01',
    BANK_CODE: 'MB',
    AMOUNT: '50000',
    BILL_NUMBER: 'BILL-0001',
    FT_CODE: 'FT0001',
  }
  /** Takes the named groups of a match as values. */
  const copy = (match: RegExpExecArray | null) => {
    if (!match) throw new Error('the output has nothing to copy')
    Object.assign(values, match.groups)
  }
  return {
    copy,
    values,
    async type(command: string): Promise<string> {
      const { code, stdout, stderr } = await until('a device that responds', async () => {
        const ended = await shell.run(fill(command, values))
        return !ended.stdout.includes('DEVICE_NOT_RESPONDING') && ended
      })
      expect({ command, code, stdout, stderr }).toMatchObject({ code: 0 })
      return stdout
    },
    /** Types a command that keeps its terminal. */
    async leaveRunning(command: string, ready: RegExp): Promise<Background> {
      const running = shell.start(fill(command, values))
      onTestFinished(() => running.stop())
      copy(await running.says(ready))
      return running
    },
  }
}
