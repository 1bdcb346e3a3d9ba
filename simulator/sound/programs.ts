import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program that plays a WAV file: called with its arguments, then the file. */
export interface PlayerProgram {
  name: string
  path: string
  args: readonly string[]
}

/** PipeWire, PulseAudio (WSL has it too), ALSA, macOS, FFmpeg, SoX; those that share the sound card first. */
const KNOWN: readonly Omit<PlayerProgram, 'path'>[] = [
  { name: 'pw-play', args: [] },
  { name: 'paplay', args: [] },
  { name: 'aplay', args: ['-q'] },
  { name: 'afplay', args: [] },
  { name: 'ffplay', args: ['-nodisp', '-autoexit', '-loglevel', 'error'] },
  { name: 'play', args: ['-q'] },
]

export const KNOWN_NAMES = KNOWN.map(({ name }) => name).join(', ')

/** The playing programs on this machine, best first. `searchPath` is the PATH of the environment. */
export function findPrograms(searchPath: string | undefined): PlayerProgram[] {
  const folders = (searchPath ?? '').split(delimiter).filter((folder) => folder !== '')
  return KNOWN.flatMap(({ name, args }) => {
    const path = folders.map((folder) => join(folder, name)).find(isExecutable)
    return path === undefined ? [] : [{ name, path, args }]
  })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
