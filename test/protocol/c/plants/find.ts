import { expect, type TestContext } from 'vitest'
import { temporaryFolder } from '../../../support/folder.ts'
import { builtCDevice, builtCLine } from '../build.ts'
import { idsIn, runKit } from '../kit.ts'
import { PLANTS } from './all.ts'
import { buildPlanted } from './build.ts'
import type { Plant } from './plant.ts'

const CAPS = 'screen,speaker,qr,rekey'
/** A planted device often does not answer: that is no fault of the machine. */
const PATIENCE = { answerMs: 8_000, speechMs: 60_000, reconnectMs: 30_000 }

const built = async (isOverModem = false) =>
  isOverModem ? (await builtCLine()).device : (await builtCDevice()).device
const capsOf = (isOverModem = false) => (isOverModem ? CAPS : `${CAPS},update`)

/** Builds the planted device. The kit fails it, or warns, in the cases that the plant names. */
export async function expectFound(plant: Plant, context: TestContext): Promise<void> {
  const { finds, after = [], isOverModem, serial, clipMs } = plant
  const folder = temporaryFolder(context.onTestFinished)
  const program = buildPlanted(plant, await built(isOverModem), folder)
  const options = { program, serial, clipMs, patience: PATIENCE }
  const { cases, stderr, errors } = await runKit(context, capsOf(isOverModem), [...after, ...finds], options)
  expect(errors).not.toContain("The rig's")
  expect(idsIn(cases)('fail', 'warn'), stderr).toEqual(expect.arrayContaining([...finds]))
}

/** The device without a plant passes all cases that find one. */
export async function expectRightDevice(isOverModem: boolean, context: TestContext): Promise<void> {
  const plants = PLANTS.filter((plant) => (plant.isOverModem ?? false) === isOverModem)
  const ids = [...new Set(plants.flatMap(({ finds, after = [] }) => [...finds, ...after]))]
  const program = await built(isOverModem)
  const { cases, stderr, errors } = await runKit(context, capsOf(isOverModem), ids, { program })
  expect(errors).toBe('')
  expect(idsIn(cases)('pass'), stderr).toEqual(expect.arrayContaining(ids))
}
