import { spawnSync } from 'node:child_process'
import { onceForRun } from '../../support/processes/once-for-run.ts'
import { acceptanceVectors, frameVectors } from '../vectors.ts'
import { CORE, run, WARNINGS } from './component.ts'

/** What vectors/exhaustive.c has printed of a kind of inputs: how many, and how many of them were valid. */
export interface Exhausted {
  readers: string
  inputs: number
  valid: number
}

const SANITIZED = [
  '-std=c11',
  ...WARNINGS,
  '-O1',
  '-g',
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
]

/** The frames of a hub in the vectors that fit the program, without their MACs, each once. */
export function goldenFrames(): string[] {
  const sent = acceptanceVectors.cases.flatMap(({ event }) =>
    event.type === 'frame' ? [Buffer.from(event.frameBase64, 'base64').toString('latin1')] : [],
  )
  const sealed = frameVectors.frames.map(({ frame }) => Buffer.from(frame).toString('latin1'))
  const frames = [...sent, ...sealed].filter(
    (frame) => /,"mac":"[^"]{22}"}$/.test(frame) && frame.length < 500,
  )
  return [...new Set(frames.map((frame) => frame.slice(0, -32)))]
}

/** The longest frame of each type. */
export function longestFrames(): string[] {
  const longest = new Map<string, string>()
  for (const frame of goldenFrames()) {
    const t = /"t":"(\w+)"/.exec(frame)?.[1] ?? ''
    if (frame.length > (longest.get(t)?.length ?? 0)) longest.set(t, frame)
  }
  return [...longest.values()]
}

/** Gives the readers all inputs. Throws if a sanitizer or a check of the program finds something. */
export async function exhaust(frames: string[]): Promise<Exhausted[]> {
  const folder = await onceForRun('c-exhaustive', (out) => {
    run('cc', [...SANITIZED, '-Iinclude', '-o', `${out}/run`, ...CORE, 'vectors/exhaustive.c'])
  })
  const input = frames.map((frame) => `${Buffer.from(frame, 'latin1').toString('hex')}\n`).join('')
  const { status, stdout, stderr } = spawnSync(`${folder}/run`, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Each single-byte change of a frame with its MAC, and each of its starts with and without a MAC. */
export const casesOf = (frames: string[]) =>
  frames.reduce((sum, { length }) => sum + 256 * (length + 32) + (length + 33) + length, 0)
