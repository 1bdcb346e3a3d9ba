import process from 'node:process'
import { canDraw } from '../../screen/terminal.ts'
import { type FirstScreen, openFirstScreen } from './first-screen.ts'

/** Of the demo's speaker. */
const SERIAL = 'DEMO-0001'
/** With other options the demo prints lines, or shows another screen. */
const SCREEN_OPTIONS = new Set(['--sound'])

/**
 * Draws the speaker at once, and loads the rest of the demo behind it: React, MQTT and the compiler of JSX take many
 * times as long as the drawing.
 */
const options = process.argv.slice(2)
const { stdout } = process
let firstScreen: FirstScreen | undefined
if (options.every((one) => SCREEN_OPTIONS.has(one)) && canDraw(stdout, process.env.TERM))
  firstScreen = openFirstScreen(SERIAL, process)

// React's development build keeps a measurement of each rendering for ever.
process.env.NODE_ENV ??= 'production'
const { register } = await import('tsx/esm/api')
register()
const { runDemo } = await import('./demo.ts')
await runDemo({ serial: SERIAL, options, env: process.env, firstScreen })
