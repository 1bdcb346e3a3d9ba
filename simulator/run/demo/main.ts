import process from 'node:process'
import { messageOf } from '../../platform/error-text.ts'
import { canDraw } from '../../screen/terminal.ts'
import { type Asked, readArguments, USAGE } from './arguments.ts'
import { openFirstScreen } from './first-screen.ts'

/** Of the demo's speaker. */
const SERIAL = 'DEMO-0001'

function read(): Asked | undefined {
  try {
    return readArguments(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n${USAGE}`)
    process.exitCode = 2
    return undefined
  }
}

/**
 * Draws the speaker at once, and loads the rest of the demo behind it: React, MQTT and the compiler of JSX take many
 * times as long as the drawing.
 */
async function run(asked: Asked): Promise<void> {
  const { env, stdout } = process
  const isDrawn = !asked.once && !asked.cluster && canDraw(stdout, env.TERM)
  const firstScreen = isDrawn ? openFirstScreen(SERIAL, process) : undefined
  // React's development build keeps a measurement of each rendering for ever.
  env.NODE_ENV ??= 'production'
  const { register } = await import('tsx/esm/api')
  register()
  const { runDemo } = await import('./demo.ts')
  await runDemo({ serial: SERIAL, asked, env, firstScreen })
}

const asked = read()
if (asked?.help) process.stdout.write(USAGE)
else if (asked) await run(asked)
