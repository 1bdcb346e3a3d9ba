import { withFile } from '../folder.ts'
import { startTestHub } from '../hub.ts'
import { findChromium, launchChromium, NO_BROWSER } from './browser.ts'

/**
 * For the tests of the file that calls it at its top: returns the function that starts a browser and a hub, which end with the
 * file. Undefined where no browser is installed, with a line that says what is `skipped`.
 */
export function browserBesideHub(skipped: string) {
  const chromium = findChromium()
  if (chromium === undefined) {
    process.stdout.write(`${skipped}: ${NO_BROWSER}\n`)
    return undefined
  }
  const onEnd = withFile()
  return async () => {
    const [browser, hub] = await Promise.all([launchChromium(chromium, onEnd), startTestHub({ onEnd })])
    return { browser, hub }
  }
}
