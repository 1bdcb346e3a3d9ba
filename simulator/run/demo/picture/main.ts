import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readCast, writeCast } from './cast.ts'
import { recordDemo } from './record.ts'
import { drawPicture } from './svg.ts'

const USAGE = `Usage: npm run picture:generate [-- --record]

Draws docs/demo.svg, the moving picture of the README, from the recording docs/demo.cast.
  --record  play the demo and record it anew first
  --help    this text
`

const fileOf = (name: string) => fileURLToPath(new URL(`../../../../docs/${name}`, import.meta.url))

const flag = { type: 'boolean' } as const
const { values } = parseArgs({ options: { record: flag, help: flag } })
if (values.help) process.stdout.write(USAGE)
else {
  if (values.record) writeFileSync(fileOf('demo.cast'), writeCast(await recordDemo(process.env)))
  writeFileSync(fileOf('demo.svg'), drawPicture(readCast(readFileSync(fileOf('demo.cast'), 'utf8'))))
}
