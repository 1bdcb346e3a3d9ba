import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFirmware, missingForFirmware, speechOf } from '../../../simulator/firmware/emulator/build.ts'
import { onceForRun } from '../../support/processes/once-for-run.ts'

export { missingForFirmware }

export const SPEECH = 'speech.bin'

/** The firmware, built once for all tests of a run. Its speech is copied into `folder`. */
export async function firmwareIn(folder: string): Promise<string> {
  const cache = await onceForRun('firmware', (made) => void builtFirmware(made))
  const image = builtFirmware(cache)
  copyFileSync(speechOf(image), join(folder, SPEECH))
  return image
}
