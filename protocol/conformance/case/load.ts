import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'
import { type Case, caseFile } from './schema.ts'
import { UsageError } from './usage-error.ts'

const CASES = fileURLToPath(new URL('../cases', import.meta.url))

/** The order in which the areas run. Later areas depend on earlier ones. */
const ORDER = [
  'connection',
  'session',
  // Its screens come before the first payment: a speaker may show the amount of a payment for some seconds.
  'ack',
  'mac',
  'dedupe',
  'expiry',
  'order',
  'screen',
  'settings',
  // It waits for telemetry, during the cases of one session.
  'update',
  'size',
  'envelope',
  'limits',
  'held',
  'limits',
  'power',
  'rekey',
  'health',
  'reconnection',
  // The last: its cases raise the command numbers by millions.
  'numbers',
]

/** Reads every case file of a folder. Throws a `UsageError` that names the file and the mistake. */
export function loadCases(folder = CASES): Case[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'))
  const cases = files.flatMap((file) => readCaseFile(file, readFileSync(join(folder, file), 'utf8')))
  const duplicate = cases.find(({ id }, index) => cases.findIndex((other) => other.id === id) !== index)
  if (duplicate) throw new UsageError(`two cases have the id ${duplicate.id}`)
  const rank = ({ area }: Case) => (ORDER.includes(area) ? ORDER.indexOf(area) : ORDER.length)
  return cases.sort((a, b) => rank(a) - rank(b))
}

/** Reads the text of one case file. */
export function readCaseFile(file: string, text: string): Case[] {
  const parsed = caseFile.safeParse(parseYaml(file, text))
  if (!parsed.success)
    throw new UsageError(`${file} is not a valid case file:\n${z.prettifyError(parsed.error)}`)
  const { area, cases } = parsed.data
  return cases.map((one) => ({ ...one, id: `${area}/${one.id}`, area }))
}

function parseYaml(file: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
