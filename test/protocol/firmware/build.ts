import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFirmware, missingForFirmware, speechOf } from '../../../simulator/firmware/emulator/build.ts'
import { onceForRun } from '../../support/processes/once-for-run.ts'

export { missingForFirmware }

export const SPEECH = 'speech.bin'

/** The firmware with these parts, built once for all tests of a run. Its speech is copied into `folder`. */
export async function firmwareIn(folder: string, parts: readonly string[] = []): Promise<string> {
  const name = ['firmware', ...parts].join('-').replace(/\W+/g, '-')
  const cache = await onceForRun(name, (made) => void builtFirmware(made, parts))
  const image = builtFirmware(cache, parts)
  copyFileSync(speechOf(image), join(folder, SPEECH))
  return image
}
