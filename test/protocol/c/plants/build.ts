import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { HOME } from '../component.ts'
import type { Plant } from './plant.ts'

/** The file into which a plant goes. Throws unless the plant's text is in one place of it. */
export function rightText({ file, text }: Pick<Plant, 'file' | 'text'>): string {
  const right = readFileSync(`${HOME}${file}`, 'utf8')
  const places = right.split(text).length - 1
  if (places !== 1) throw new Error(`the text of the plant is ${places} times in ${file}:\n${text}`)
  return right
}

/**
 * Builds the planted device in a folder of the test's own, from the objects of the right one (`built`): only what the
 * plant changes is compiled. Returns the program.
 */
export function buildPlanted(
  { file, text, instead, isOverModem }: Plant,
  built: string,
  folder: string,
): string {
  const right = rightText({ file, text })
  cpSync(HOME, `${folder}/src`, { recursive: true, preserveTimestamps: true })
  cpSync(dirname(built), `${folder}/made`, { recursive: true, preserveTimestamps: true })
  writeFileSync(
    `${folder}/src/${file}`,
    right.replace(text, () => instead),
  )
  const program = `${folder}/made/${isOverModem ? 'line-device' : 'sb1-device'}`
  // A compiler that warns of the plant still compiles it.
  const args = ['SANITIZE=1', 'STRICT=-std=c11 -w', `OUT=${folder}/made`, program]
  const made = spawnSync('make', ['-C', `${folder}/src${isOverModem ? '/mcu/host' : ''}`, ...args], {
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`the planted device does not build:\n${made.stderr}`)
  return program
}
